// SPDX-License-Identifier: Apache-2.0
#if FARLINK_TLS
#include "cla/tcpcl/v3/tcpclv3_link.hpp"
#include "cla/tcpcl/v4/tcpclv4_link.hpp"
#include "tests/support/tls_files.hpp"
#include "tests/unit/cla/session/session_cuts.hpp"

namespace farlink::cla::session_tls_test {
namespace {

class SessionTlsTest : public SessionCuts {
protected:
    SessionTlsTest() {
        protocol = tcpclv4::make_session;
        in.tls = files.issue_config("one", files.node("ipn:1.0"));
        out.tls = files.issue_config("two", files.node("ipn:2.0"));
    }
    /// The client's second state, which says why it is not connected.
    [[nodiscard]] LinkFault client_fault() {
        EXPECT_TRUE(until([&] { return client.changes.size() >= 2; }));
        return client.changes.at(1).fault;
    }
    void exchange(std::size_t count, std::size_t bytes) {
        Outduct *back = induct->attach(at_server(), kBack);
        ASSERT_NE(back, nullptr);
        ASSERT_TRUE(until([&] {
            send_some(client, *outduct, count, bytes);
            send_some(server, *back, count, bytes);
            return client.transmitted == count && server.transmitted == count;
        }));
        expect_bundles(server.upstreams.begin()->second.bundles, count, bytes);
        expect_bundles(client.upstreams.begin()->second.bundles, count, bytes);
    }

    test::TlsFiles files;
};

TEST_F(SessionTlsTest, ProvesBothNodesAndCarriesBundlesBothWays) {
    listen();
    connect();
    ASSERT_TRUE(connected());
    EXPECT_TRUE(server.upstreams.begin()->second.peer.proved);
    EXPECT_TRUE(client.upstreams.begin()->second.peer.proved);
    exchange(200, 50'000);
    outduct->close();
    EXPECT_TRUE(reaches(LinkState::kClosed));
    EXPECT_EQ(client.changes.back().fault, LinkFault::kNone);
}

TEST_F(SessionTlsTest, TcpclV3BeginsWithTls) {
    protocol = tcpclv3::make_session;
    listen();
    connect();
    ASSERT_TRUE(connected());
    EXPECT_TRUE(server.upstreams.begin()->second.peer.proved);
    exchange(50, 50'000);
}

TEST_F(SessionTlsTest, OptionalOnBothSidesIsUsed) {
    in.tls.mode = out.tls.mode = config::TlsMode::kOptional;
    listen();
    connect();
    ASSERT_TRUE(connected());
    EXPECT_TRUE(server.upstreams.begin()->second.peer.proved);
}

TEST_F(SessionTlsTest, RequiredByOneSideOnlyThereIsNoSession) {
    out.tls = {};
    listen();
    connect();
    EXPECT_NE(client_fault(), LinkFault::kNone);
    EXPECT_EQ(client.times(LinkState::kConnected), 0U);
    EXPECT_TRUE(until([&] { return !server.upstreams.empty(); }));
    EXPECT_EQ(server.upstreams.begin()->second.closed, LinkFault::kTlsRequired);
    EXPECT_EQ(client_fault(), LinkFault::kPeerRequiresTls);
}

TEST_F(SessionTlsTest, ACertificateOfAnotherAuthorityIsNotTaken) {
    const test::TlsFiles strangers;
    out.tls = strangers.issue_config("two", test::TlsFiles::node("ipn:2.0"));
    listen();
    connect();
    EXPECT_EQ(client_fault(), LinkFault::kTlsFailed);
    EXPECT_NE(client.detail.find("certificate"), std::string::npos) << client.detail;
    EXPECT_TRUE(until([&] { return !server.upstreams.empty(); }));
    EXPECT_EQ(server.upstreams.begin()->second.closed, LinkFault::kTlsFailed);
}

// In TLS 1.3 the client learns of it after its handshake.
TEST_F(SessionTlsTest, AnEndedCertificateOfTheClientIsNamedAtBothEnds) {
    auto spec = files.node("ipn:2.0");
    spec.validity = test::TlsFiles::valid_days(-1);
    out.tls = files.issue_config("two", spec);
    listen();
    connect();
    EXPECT_EQ(client_fault(), LinkFault::kTlsFailed);
    EXPECT_EQ(client.detail, "the peer sent a TLS alert: certificate expired");
    EXPECT_TRUE(until([&] { return !server.upstreams.empty(); }));
    EXPECT_EQ(server.upstreams.begin()->second.closed, LinkFault::kTlsFailed);
}

TEST_F(SessionTlsTest, TheNodeIdMustBeTheOneOfTheCertificate) {
    in.tls = files.issue_config("one", files.node("ipn:3.0"));
    listen();
    connect();
    EXPECT_EQ(client_fault(), LinkFault::kIdentityRefused);
    EXPECT_FALSE(client.detail.empty());
    EXPECT_EQ(client.times(LinkState::kConnected), 0U);
}

TEST_F(SessionTlsTest, APeerThatStopsInTheHandshakeIsClosed) {
    tune_passive = [](SessionConfig &config) { config.handshake_limit = milliseconds(50); };
    listen();
    test::TcpPeer peer = test::TcpPeer::connect(induct->port());
    const Bytes contact = {'d', 't', 'n', '!', 4, 1};
    peer.send(contact);
    EXPECT_TRUE(until([&] {
        (void)peer.receive();
        return peer.ended();
    }));
    EXPECT_EQ(server.upstreams.begin()->second.closed, LinkFault::kHandshakeTimeout);
}

TEST_F(SessionTlsTest, EachBundleIsDeliveredWhateverIsCut) {
    deliver_through_cuts(200, 20'000);
}

TEST_F(SessionTlsTest, WrongFilesAreSaidAtTheStart) {
    in.tls.key_file = files.path("two.key");
    const auto setup = make_session_setup(in, protocol);
    ASSERT_FALSE(setup);
    EXPECT_NE(setup.error().find("two.key"), std::string::npos) << setup.error();
}

}  // namespace
}  // namespace farlink::cla::session_tls_test
#endif
