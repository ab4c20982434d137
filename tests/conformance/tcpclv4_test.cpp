// SPDX-License-Identifier: Apache-2.0
// TCPCLv4 against the vectors: each message both ways, negotiation, and the dialogues.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "cla/tcpcl/v4/core/session.hpp"
#include "tests/support/core_dialogue.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::cla::tcpclv4::tcpclv4_test {
namespace {

using test::hex_of;
using test::Json;
using test::to_hex;

const Json &vectors() {
    static const Json loaded = test::load_vectors("tcpcl4.json");
    return loaded;
}

template <class Message>
std::string encoded(const Message &message) {
    Bytes octets(4096);
    octets.resize(static_cast<std::size_t>(encode(octets.data(), message) - octets.data()));
    return to_hex(octets);
}

/// The vectors write 64-bit numbers as text.
std::uint64_t number(const Json &fields, const char *name) {
    const Json &value = fields.at(name);
    return value.is_string() ? std::stoull(value.get<std::string>()) : value.get<std::uint64_t>();
}

/// Encodes the items that the vector lists and compares them with those of the message.
void expect_items(const Json &fields, ByteView items) {
    Bytes listed;
    for (const Json &item : fields.value("extension_items", Json::array())) {
        Bytes value = item.contains("value") ? hex_of(item.at("value")) : Bytes(8);
        if (item.contains("total_length")) store_be(value.data(), number(item, "total_length"));
        Bytes octets(kItemHeadBytes + value.size());
        encode(octets.data(), ExtensionItem{item.at("flags"), item.at("type"), value});
        append(listed, octets);
    }
    EXPECT_EQ(to_hex(items), to_hex(listed));
    ItemReader reader(items);
    std::size_t count = 0;
    while (reader.next()) ++count;
    EXPECT_EQ(count, fields.value("extension_items", Json::array()).size());
    EXPECT_FALSE(reader.is_malformed());
}

std::string contact_again(const Json &fields, ByteView octets) {
    const auto contact = decode_contact(octets);
    EXPECT_TRUE(contact.has_value());
    EXPECT_EQ(contact->version, number(fields, "version"));
    EXPECT_EQ(contact->flags, number(fields, "flags"));
    EXPECT_EQ((contact->flags & kCanTls) != 0, fields.at("can_tls").get<bool>());
    return encoded(*contact);
}

std::string init_again(const Json &fields, ByteView octets) {
    const auto init = decode_session_init(octets);
    EXPECT_TRUE(init.has_value());
    EXPECT_EQ(init->keep_alive_seconds, number(fields, "keepalive"));
    EXPECT_EQ(init->segment_mru, number(fields, "segment_mru"));
    EXPECT_EQ(init->transfer_mru, number(fields, "transfer_mru"));
    EXPECT_EQ(init->node_id, fields.at("node_id").get<std::string>());
    EXPECT_EQ(init->items.size(), number(fields, "extension_items_length"));
    EXPECT_EQ(init->encoded_bytes(), octets.size());
    expect_items(fields, init->items);
    return encoded(*init);
}

std::string segment_again(const Json &fields, ByteView octets) {
    const auto segment = decode_segment(octets);
    EXPECT_TRUE(segment.has_value());
    EXPECT_EQ(segment->flags, number(fields, "flags"));
    EXPECT_EQ(segment->id, number(fields, "transfer_id"));
    EXPECT_EQ(segment->data_bytes, number(fields, "data_length"));
    EXPECT_EQ(segment->items.size(),
              fields.contains("ext_length") ? number(fields, "ext_length") : 0);
    EXPECT_EQ(fields.contains("ext_length"), segment->starts());
    expect_items(fields, segment->items);
    return encoded(*segment) + to_hex(octets.subspan(segment->head_bytes()));
}

std::string ack_again(const Json &fields, ByteView octets) {
    const auto ack = decode_ack(octets);
    EXPECT_TRUE(ack.has_value());
    EXPECT_EQ(ack->flags, number(fields, "flags"));
    EXPECT_EQ(ack->id, number(fields, "transfer_id"));
    EXPECT_EQ(ack->length, number(fields, "acked"));
    return encoded(*ack);
}

std::string refuse_again(const Json &fields, ByteView octets) {
    const auto refuse = decode_refuse(octets);
    EXPECT_TRUE(refuse.has_value());
    EXPECT_EQ(refuse->reason, number(fields, "reason"));
    EXPECT_EQ(refuse->id, number(fields, "transfer_id"));
    return encoded(*refuse);
}

std::string term_again(const Json &fields, ByteView octets) {
    const auto term = decode_term(octets);
    EXPECT_TRUE(term.has_value());
    EXPECT_EQ(term->flags, number(fields, "flags"));
    EXPECT_EQ(term->is_reply(), fields.at("reply").get<bool>());
    EXPECT_EQ(term->reason, number(fields, "reason"));
    return encoded(*term);
}

std::string reject_again(const Json &fields, ByteView octets) {
    const auto reject = decode_reject(octets);
    EXPECT_TRUE(reject.has_value());
    EXPECT_EQ(static_cast<std::uint8_t>(reject->reason), number(fields, "reason"));
    EXPECT_EQ(reject->rejected, number(fields, "rejected_header"));
    return encoded(*reject);
}

std::string keep_alive_again(const Json &, ByteView octets) {
    EXPECT_EQ(octets.size(), 1U);
    WireOut out;
    out.send_keep_alive();
    std::array<iovec, 1> piece;
    EXPECT_EQ(out.queue().gather(piece, 1), 1U);
    return to_hex({static_cast<const std::uint8_t *>(piece[0].iov_base), piece[0].iov_len});
}

TEST(Tcpclv4Conformance, MessagesAreDecodedAndEncodedAgain) {
    using Again = std::function<std::string(const Json &, ByteView)>;
    const std::map<std::string, Again> kinds{
        {"contact_header", contact_again}, {"SESS_INIT", init_again},
        {"XFER_SEGMENT", segment_again},   {"XFER_ACK", ack_again},
        {"XFER_REFUSE", refuse_again},     {"SESS_TERM", term_again},
        {"MSG_REJECT", reject_again},      {"KEEPALIVE", keep_alive_again},
    };
    ASSERT_FALSE(vectors().at("messages").empty());
    for (const Json &message : vectors().at("messages")) {
        SCOPED_TRACE(message.at("id").get<std::string>());
        const Bytes octets = hex_of(message.at("hex"));
        EXPECT_EQ(octets.size(), message.at("length").get<std::size_t>());
        const auto again = kinds.find(message.at("message").get<std::string>());
        ASSERT_NE(again, kinds.end());
        EXPECT_EQ(again->second(message.at("fields"), octets), to_hex(octets));
    }
}

SessionConfig config_of(SessionRole role) {
    SessionConfig config;
    config.role = role;
    config.node_id = "ipn:10.0";
    config.keep_alive = seconds(30);
    config.segment_mru = config.max_segment = 65536;
    config.transfer_mru = 1048576;
    config.max_unsent = config.max_unacknowledged = 1048576;
    config.max_transfers = 100;
    config.handshake_limit = config.termination_limit = seconds(10);
    return config;
}

TEST(Tcpclv4Conformance, ParametersAreNegotiated) {
    ASSERT_FALSE(vectors().at("negotiation").empty());
    for (const Json &example : vectors().at("negotiation")) {
        SCOPED_TRACE(example.at("id").get<std::string>());
        const Json &local = example.at("local");
        const Json &peer = example.at("peer");
        const Json &expected = example.at("expected");
        SessionConfig config = config_of(SessionRole::kPassive);
        config.keep_alive = seconds(number(local, "keepalive"));
        config.segment_mru = local.value("segment_mru", config.segment_mru);
        config.transfer_mru = local.value("transfer_mru", config.transfer_mru);
        config.tls = number(local, "can_tls") != 0 ? TlsPolicy::kOptional : TlsPolicy::kNone;
        test::CoreHost host(std::make_unique<Session>(config, UpstreamId{1}));
        host.core->handle_connected({});
        const auto feed = [&host](const std::string &hex) { host.feed(test::from_hex(hex), {}); };
        feed(encoded(ContactHeader{kVersion, peer.at("can_tls").get<std::uint8_t>()}));
        EXPECT_EQ(host.count(SessionEvent::Kind::kStartTls) == 1,
                  expected.at("use_tls").get<bool>());
        SessionInit init;
        init.keep_alive_seconds = peer.at("keepalive").get<std::uint16_t>();
        init.segment_mru = peer.value("segment_mru", std::uint64_t{65536});
        init.transfer_mru = peer.value("transfer_mru", std::uint64_t{65536});
        feed(encoded(init));
        ASSERT_TRUE(host.established);
        (void)host.drain({});
        const auto interval = seconds(number(expected, "session_keepalive"));
        EXPECT_EQ(host.core->next_timeout(),
                  interval == seconds(0) ? kNever : TimePoint{} + interval);
        if (!expected.contains("send_segment_mtu")) continue;
        EXPECT_EQ(host.core->max_bundle_bytes(), number(expected, "send_transfer_mtu"));
        host.send(Bytes(500), {});
        const auto segment = decode_segment(host.drain({}));
        ASSERT_TRUE(segment.has_value());
        EXPECT_EQ(segment->data_bytes, number(expected, "send_segment_mtu"));
    }
}

/// With one session of this version.
struct Dialogue : test::CoreDialogue {
    explicit Dialogue(SessionRole role)
        : CoreDialogue(std::make_unique<Session>(config_of(role), UpstreamId{1})) {}
    void wait(Duration duration) {
        now += duration;
        if (host.core->next_timeout() <= now) host.timeout(now);
        listen();
    }
    /// So many of the bundles of the vectors have been delivered.
    void expect_delivered(std::size_t count, const char *bundle = "B7") {
        ASSERT_EQ(host.received.size(), count);
        if (count == 0) return;
        const auto expected = vectors().at("bundles").at(bundle).get<std::string>();
        EXPECT_EQ(to_hex(host.received.back()), expected);
    }
    void expect_ended(bool ended) { EXPECT_EQ(host.ended, ended); }
};

using Check = std::function<void(Dialogue &)>;

Check says(const std::string &hex) {
    return [hex](Dialogue &dialogue) {
        dialogue.expect_said(hex);
        dialogue.expect_ended(false);
    };
}
Check says_and_ends(const std::string &hex) {
    return [hex](Dialogue &dialogue) {
        dialogue.expect_said(hex);
        dialogue.expect_ended(true);
    };
}
Check acknowledges(const std::string &hex, const char *bundle) {
    return [hex, bundle](Dialogue &dialogue) {
        says(hex)(dialogue);
        dialogue.expect_delivered(1, bundle);
    };
}
Check refuses(const std::string &hex) {
    return [hex](Dialogue &dialogue) {
        says(hex)(dialogue);
        dialogue.expect_delivered(0);
    };
}

std::string own_init() {
    SessionInit init;
    init.keep_alive_seconds = 30;
    init.segment_mru = 65536;
    init.transfer_mru = 1048576;
    init.node_id = "ipn:10.0";
    return encoded(init);
}

void says_keep_alive_while_idle(Dialogue &dialogue) {
    dialogue.expect_said(own_init());
    dialogue.wait(seconds(1));
    dialogue.expect_said("04");
}
void gives_up_a_silent_peer(Dialogue &dialogue) {
    dialogue.wait(seconds(1));
    dialogue.expect_said("050001");
    dialogue.expect_ended(true);
}
void refuses_or_has_closed(Dialogue &dialogue) {
    if (dialogue.host.ended)
        dialogue.expect_said("");
    else
        dialogue.expect_said("03060000000000000000");
    dialogue.expect_delivered(0);
}
void sends_a_bundle(Dialogue &dialogue) {
    dialogue.expect_said("");
    dialogue.host.send(hex_of(vectors().at("bundles").at("B7")), dialogue.now);
    dialogue.listen();
    dialogue.expect_said(vectors().at("messages").at(5).at("hex").get<std::string>());
}
void reports_success(Dialogue &dialogue) {
    EXPECT_EQ(dialogue.host.transmitted, 0U);
    dialogue.send(test::from_hex("020300000000000000000000000000000044"));
    EXPECT_EQ(dialogue.host.transmitted, 1U);
    says("")(dialogue);
}

/// What the vectors ask for in words. A step that is not here fails.
const std::map<std::string, Check> &checks() {
    static const std::map<std::string, Check> known{
        {"send contact header 64746e2104 + flags octet (only after receiving ours)",
         says("64746e210400")},
        {"contact header", says("64746e210400")},
        {"connect; immediately send contact header", says("64746e210400")},
        {"send SESS_INIT with its own node id", says(own_init())},
        {"SESS_INIT (active entity first)", says(own_init())},
        {"SESS_INIT; then KEEPALIVE (04) at least once per second while idle",
         says_keep_alive_while_idle},
        {"if tester stays silent >= 2 x keepalive: SESS_TERM reason 1 \"Idle timeout\" 050001",
         gives_up_a_silent_peer},
        {"no reply, session stays open", says("")},
        {"send XFER_ACK 020300000000000000000000000000000044; bundle handed to the BPA",
         acknowledges("020300000000000000000000000000000044", "B7")},
        {"XFER_ACK 020300000000000000000000000000000044; bundle delivered",
         acknowledges("020300000000000000000000000000000044", "B7")},
        {"XFER_ACK 020200000000000000000000000000000190",
         refuses("020200000000000000000000000000000190")},
        {"XFER_ACK 020000000000000000000000000000000320",
         refuses("020000000000000000000000000000000320")},
        {"XFER_ACK 02020000000000000000000000000000001e",
         refuses("02020000000000000000000000000000001e")},
        {"XFER_ACK 020100000000000000000000000000000423; bundle delivered to the BPA",
         acknowledges("020100000000000000000000000000000423", "B7b")},
        {"XFER_REFUSE reason 4 \"Not Acceptable\" 03040000000000000000; bundle not delivered",
         refuses("03040000000000000000")},
        {"XFER_REFUSE reason 5 \"Extension Failure\" 03050000000000000000",
         refuses("03050000000000000000")},
        {"XFER_REFUSE reason 6 \"Session Terminating\" 03060000000000000000 (or connection "
         "already closed)",
         refuses_or_has_closed},
        {"XFER_SEGMENT(s) with START on the first and END on the last; sequential transfer ids "
         "starting at 0 unless randomised",
         sends_a_bundle},
        {"tester acks each segment cumulatively; product reports success to the BPA",
         reports_success},
        {"MSG_REJECT reason 3 060301 (or refuse/terminate); bundle not accepted",
         refuses("060301")},
        {"send MSG_REJECT reason 3 060302 (session may continue)", says("060302")},
        {"send MSG_REJECT reason 3 060307", says("060307")},
        {"send MSG_REJECT 06012a and close the TCP connection", says_and_ends("06012a")},
        {"send SESS_TERM 050100", says_and_ends("050100")},
        {"SESS_TERM 050100", says_and_ends("050100")},
        {"TCP connection closed by FIN from either side", says_and_ends("")},
        {"SESS_TERM reason 4 \"Contact Failure\" 050004", says_and_ends("050004")},
        {"close the TCP connection without SESS_TERM and without contact header",
         says_and_ends("")},
        {"send its contact header (version 4), then SESS_TERM reason 2 \"Version mismatch\" "
         "050002, close",
         says_and_ends("64746e210400050002")},
    };
    return known;
}

TEST(Tcpclv4Conformance, DialoguesGoAsTheyMust) {
    ASSERT_FALSE(vectors().at("dialogues").empty());
    for (const Json &written : vectors().at("dialogues")) {
        SCOPED_TRACE(written.at("id").get<std::string>());
        const auto role = written.at("product_role").get<std::string>();
        ASSERT_TRUE(role == "active" || role == "passive");
        Dialogue dialogue(role == "active" ? SessionRole::kActive : SessionRole::kPassive);
        for (const Json &step : written.at("steps")) {
            ASSERT_EQ(step.size(), 1U);
            if (step.contains("tester_sends")) {
                dialogue.send(hex_of(step.at("tester_sends")));
                continue;
            }
            ASSERT_TRUE(step.contains("product_must")) << step;
            const auto must = step.at("product_must").get<std::string>();
            SCOPED_TRACE(must);
            const auto check = checks().find(must);
            ASSERT_NE(check, checks().end());
            check->second(dialogue);
        }
    }
}

}  // namespace
}  // namespace farlink::cla::tcpclv4::tcpclv4_test
