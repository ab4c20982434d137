// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/negotiation.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cla/tcpcl/v4/core/fixture.hpp"

namespace farlink::cla::tcpclv4::negotiation_test {
namespace {

using test::CoreHost;
using test::to_hex;
using Kind = SessionEvent::Kind;

const std::string kContactHex = "64746e210400";
const std::string kContactFailureHex = "050004";

Bytes init_of(std::string_view node_id, ByteView items = {}, std::uint64_t segment_mru = 1000,
              std::uint64_t transfer_mru = 1000) {
    SessionInit init;
    init.segment_mru = segment_mru;
    init.transfer_mru = transfer_mru;
    init.node_id = node_id;
    init.items = items;
    return octets_of_message(init);
}

/// A session that has received `octets`, and what it sent.
struct Received {
    Received(const Bytes &octets, SessionConfig config = config_of(SessionRole::kPassive),
             bool accept = true)
        : host(session_of(config)) {
        host.accept_peer = accept;
        host.core->handle_connected(at(0));
        host.feed(octets, at(0));
        said = to_hex(host.drain(at(0)));
    }
    CoreHost host;
    std::string said;
};

SessionConfig with_tls(SessionRole role, TlsPolicy tls) {
    SessionConfig config = config_of(role);
    config.tls = tls;
    return config;
}

Bytes contact(std::uint8_t flags = 0, std::uint8_t version = kVersion) {
    return octets_of_message(ContactHeader{version, flags});
}

void expect_contact_failure(const Bytes &init, bool strict = false) {
    SessionConfig config = config_of(SessionRole::kPassive);
    config.strict = strict;
    const Received last_received(contact() + init, config);
    EXPECT_EQ(last_received.said, kContactHex + kContactFailureHex);
    EXPECT_TRUE(last_received.host.ended);
    EXPECT_EQ(last_received.host.fault, LinkFault::kContactFailure);
}

TEST(Tcpclv4Negotiation, ThePassiveSideSpeaksSecond) {
    CoreHost host(session_of(config_of(SessionRole::kPassive)));
    host.core->handle_connected(at(0));
    EXPECT_EQ(to_hex(host.drain(at(0))), "");
    host.feed(contact(), at(0));
    EXPECT_EQ(to_hex(host.drain(at(0))), kContactHex);
    host.feed(init_of("ipn:7.0"), at(0));
    EXPECT_TRUE(host.established);
    EXPECT_EQ(to_hex(host.drain(at(0))).substr(0, 2), "07");
}

TEST(Tcpclv4Negotiation, TheActiveSideSpeaksFirst) {
    CoreHost host(session_of(config_of(SessionRole::kActive)));
    host.core->handle_connected(at(0));
    EXPECT_EQ(to_hex(host.drain(at(0))), kContactHex);
    host.feed(contact(), at(0));
    EXPECT_EQ(to_hex(host.drain(at(0))).substr(0, 2), "07");
    EXPECT_FALSE(host.established);
    host.feed(init_of("ipn:7.0"), at(0));
    EXPECT_TRUE(host.established);
}

TEST(Tcpclv4Negotiation, OtherVersionsAreToldSoByThePassiveSideOnly) {
    const Received passive(contact(0, 3));
    EXPECT_EQ(passive.said, kContactHex + "050002");
    EXPECT_EQ(passive.host.fault, LinkFault::kTcpclVersion3);
    const Received active(contact(0, 3), config_of(SessionRole::kActive));
    EXPECT_EQ(active.said, kContactHex);
    EXPECT_EQ(active.host.fault, LinkFault::kTcpclVersion3);
    EXPECT_EQ(Received(contact(0, 5)).host.fault, LinkFault::kVersionMismatch);
}

TEST(Tcpclv4Negotiation, AnotherProtocolIsLeftWithoutAWord) {
    const Received last_received(test::from_hex("474554"));
    EXPECT_EQ(last_received.said, "");
    EXPECT_EQ(last_received.host.fault, LinkFault::kNotTcpcl);
    const Received frame(test::from_hex("000003e89f88"));
    EXPECT_EQ(frame.said, "");
    EXPECT_EQ(frame.host.fault, LinkFault::kStcpNotTcpcl);
}

TEST(Tcpclv4Negotiation, APeerThatRefusesForWantOfTlsIsUnderstood) {
    const Bytes refusal = test::from_hex("050004");
    const Received wants(contact(kCanTls) + refusal, config_of(SessionRole::kActive));
    EXPECT_EQ(wants.host.fault, LinkFault::kPeerRequiresTls);
    const Received other(contact() + refusal, config_of(SessionRole::kActive));
    EXPECT_EQ(other.host.fault, LinkFault::kPeerRefusedSession);
}

TEST(Tcpclv4Negotiation, TlsBeginsWhenBothSidesCan) {
    for (const TlsPolicy tls : {TlsPolicy::kOptional, TlsPolicy::kRequired}) {
        Received last_received(contact(kCanTls), with_tls(SessionRole::kActive, tls));
        EXPECT_EQ(last_received.said, "64746e210401");
        EXPECT_EQ(last_received.host.count(Kind::kStartTls), 1U);
        EXPECT_FALSE(last_received.host.core->wants_read());
        last_received.host.core->handle_secured(at(1));
        EXPECT_TRUE(last_received.host.core->wants_read());
        EXPECT_EQ(to_hex(last_received.host.drain(at(1))).substr(0, 2), "07");
        last_received.host.feed(init_of("ipn:7.0"), at(2));
        EXPECT_TRUE(last_received.host.established);
    }
    const Received optional(contact(), with_tls(SessionRole::kActive, TlsPolicy::kOptional));
    EXPECT_EQ(optional.host.count(Kind::kStartTls), 0U);
    EXPECT_EQ(optional.said.substr(0, 14), "64746e21040107");
    const Received required(contact(), with_tls(SessionRole::kPassive, TlsPolicy::kRequired));
    EXPECT_EQ(required.said, "64746e210401" + kContactFailureHex);
    EXPECT_EQ(required.host.fault, LinkFault::kTlsRequired);
}

TEST(Tcpclv4Negotiation, OctetsInTheClearBehindTheHeaderAreNotTakenIntoTls) {
    const SessionConfig config = with_tls(SessionRole::kPassive, TlsPolicy::kRequired);
    const Received last_received(contact(kCanTls) + init_of("ipn:7.0"), config);
    EXPECT_EQ(last_received.said, "64746e210401");
    EXPECT_TRUE(last_received.host.ended);
    EXPECT_EQ(last_received.host.fault, LinkFault::kProtocolError);
    // The driver that reads only what it is offered leaves them in the connection.
    CoreHost host(session_of(config));
    host.core->handle_connected(at(0));
    EXPECT_EQ(host.core->prepare(host.buffer).size(), kContactBytes);
}

TEST(Tcpclv4Negotiation, NothingIsReadBeyondTheMessageAtHand) {
    CoreHost host(session_of(config_of(SessionRole::kPassive)));
    host.core->handle_connected(at(0));
    host.feed(contact(), at(0));
    const Bytes init = init_of("ipn:7.0", octets_of_message(ExtensionItem{0, 9, as_bytes("x")}));
    std::size_t last_received = 0;
    while (last_received < init.size()) {
        ASSERT_FALSE(host.established);
        const std::size_t space = host.core->prepare(host.buffer).size();
        ASSERT_LE(space, init.size() - last_received);
        host.feed(ByteView(init).subspan(last_received, space), at(0));
        last_received += space;
    }
    EXPECT_TRUE(host.established);
    EXPECT_GT(host.core->prepare(host.buffer).size(), 1000U);
}

TEST(Tcpclv4Negotiation, ParametersThatCannotBeMetAreRefused) {
    expect_contact_failure(init_of("ipn:7.0", {}, 0, 1000));
    expect_contact_failure(init_of("ipn:7.0", {}, 1000, 0));
    expect_contact_failure(init_of("http://node"));
    expect_contact_failure(init_of("ipn:"));
    expect_contact_failure(init_of("dtn:none"));
    expect_contact_failure(init_of("ipn:7.0", octets_of_message(ExtensionItem{1, 5, {}})));
    expect_contact_failure(init_of("ipn:7.0", as_bytes("abc")));
    expect_contact_failure(init_of(std::string(3000, 'a')));
    expect_contact_failure(init_of("ipn:7.1"), true);
}

TEST(Tcpclv4Negotiation, NodeIdsOfRealPeersAreTaken) {
    for (const std::string node_id : {"ipn:7.0", "ipn:7.1", "dtn://seven/", "ipn:977000.7.0", ""}) {
        const Received last_received(contact() + init_of(node_id));
        EXPECT_TRUE(last_received.host.established) << node_id;
        EXPECT_EQ(last_received.host.core->peer_node_id(), node_id);
        EXPECT_EQ(last_received.host.departed(ProtocolDeviation::kNodeIdWithService),
                  node_id == "ipn:7.1");
    }
}

TEST(Tcpclv4Negotiation, APeerThatIsNotWhoItShouldBeIsRefused) {
    const Received last_received(contact() + init_of("ipn:7.0"), config_of(SessionRole::kPassive),
                                 false);
    EXPECT_EQ(last_received.said, kContactHex + kContactFailureHex);
    EXPECT_EQ(last_received.host.fault, LinkFault::kIdentityRefused);
}

TEST(Tcpclv4Negotiation, OtherMessagesBeforeTheSession) {
    const Received keep_alive(contact() + test::from_hex("0404") + init_of("ipn:7.0"));
    EXPECT_TRUE(keep_alive.host.established);
    const Received busy(contact() + test::from_hex("050003"));
    EXPECT_EQ(busy.said, kContactHex + "050103");
    EXPECT_EQ(busy.host.fault, LinkFault::kPeerTerminated);
    const Received mismatch(contact() + test::from_hex("050002"));
    EXPECT_EQ(mismatch.host.fault, LinkFault::kVersionMismatch);
    const Received early(contact() + segment_octets(3, 0, Bytes(5)));
    EXPECT_EQ(early.said, kContactHex + "060301");
    EXPECT_EQ(early.host.fault, LinkFault::kProtocolError);
    const Received unknown(contact() + test::from_hex("2a"));
    EXPECT_EQ(unknown.said, kContactHex + "06012a");
    const Received rejected(contact() + test::from_hex("060207"));
    EXPECT_EQ(rejected.host.fault, LinkFault::kPeerRefusedSession);
}

TEST(Tcpclv4Negotiation, TakesNoLongerThanItMay) {
    Received silent({});
    EXPECT_EQ(silent.host.core->next_timeout(), at(10'000));
    silent.host.timeout(at(10'000));
    EXPECT_EQ(silent.host.fault, LinkFault::kHandshakeTimeout);
    EXPECT_EQ(to_hex(silent.host.drain(at(10'000))), "");
    Received half(contact());
    half.host.timeout(at(10'000));
    EXPECT_EQ(half.host.fault, LinkFault::kHandshakeTimeout);
    EXPECT_EQ(to_hex(half.host.drain(at(10'000))), "050001");
    Received done(contact() + init_of("ipn:7.0"));
    EXPECT_EQ(done.host.core->next_timeout(), kNever);
}

TEST(Tcpclv4Negotiation, CanBeTerminatedAnywhere) {
    Received nothing({});
    nothing.host.terminate(at(1));
    EXPECT_EQ(to_hex(nothing.host.drain(at(1))), "");
    Received half(contact());
    half.host.terminate(at(1));
    EXPECT_EQ(to_hex(half.host.drain(at(1))), "050000");
    EXPECT_EQ(half.host.fault, LinkFault::kNone);
    Received securing(contact(kCanTls), with_tls(SessionRole::kActive, TlsPolicy::kRequired));
    securing.host.terminate(at(1));
    EXPECT_EQ(to_hex(securing.host.drain(at(1))), "");
    EXPECT_TRUE(securing.host.ended);
}

}  // namespace
}  // namespace farlink::cla::tcpclv4::negotiation_test
