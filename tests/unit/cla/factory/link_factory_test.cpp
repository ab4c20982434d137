// SPDX-License-Identifier: Apache-2.0
#include "cla/factory/link_factory.hpp"

#include <gtest/gtest.h>

#include "tests/support/link_bench.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/support/tcp_peer.hpp"
#if FARLINK_TLS
#include "tests/support/tls_files.hpp"
#endif

namespace farlink::cla::link_factory_test {
namespace {

class LinkFactory : public testing::TestWithParam<const char *> {
protected:
    LinkFactory() {
        in.id = LinkId{0};
        in.url = {"", "127.0.0.1", 0, {}};
        in.node_id = "ipn:1.0";
        in.max_sessions = 1;
        out.id = LinkId{1};
        out.url = {"", "127.0.0.1", 0, {}};
        out.node_id = "ipn:2.0";
        out.next_hop = NodeNumber{1};
        out.reconnect_min = out.reconnect_max = milliseconds(1);
    }
    test::LinkBench bench;
    config::InductConfig in;
    config::OutductConfig out;
};

TEST_P(LinkFactory, MakesLinksByTheSchemeOfTheirUrl) {
    in.url.scheme = out.url.scheme = GetParam();
    EXPECT_EQ(check_link(in), std::nullopt);
    EXPECT_EQ(check_link(out), std::nullopt);
    const auto induct = make_induct(bench.resources(), in);
    ASSERT_NE(induct, nullptr);
    EXPECT_TRUE(induct->open());
    out.url.port = induct->port();
    const auto outduct = make_outduct(bench.resources(), out, 1);
    ASSERT_NE(outduct, nullptr);
    outduct->open();
    EXPECT_TRUE(bench.run_until([&] { return outduct->transmit_credit() > 0; }));
}

INSTANTIATE_TEST_SUITE_P(Schemes, LinkFactory,
                         testing::Values("stcp", "mtcp", "udp", "tcpclv3", "tcpclv4"));

class LinkFactoryStcp : public LinkFactory {};

// The host has the induct by a handle.
TEST_F(LinkFactoryStcp, AnInductHearsThatItsHostCanKeepNothing) {
    in.url.scheme = "stcp";
    in.max_bundle_size_bytes = 1'000'000;
    const auto induct = make_induct(bench.resources(), in);
    ASSERT_TRUE(induct->open());
    const auto peer = test::TcpPeer::connect(induct->port());
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    induct->pause(UpstreamId{0}, true);
    Bytes stream;
    test::append_frame(stream, test::octets_of(1000, 1));
    EXPECT_EQ(peer.send(stream), stream.size());
    bench.run_idle();
    induct->close();
    EXPECT_EQ(bench.host.state(), LinkState::kClosing) << "it waits for room";
    induct->give_up();
    EXPECT_EQ(bench.host.state(), LinkState::kClosed);
}

class LinkFactoryTls : public LinkFactory {};

TEST_F(LinkFactoryTls, FilesThatCannotBeUsedAreNamed) {
    in.url.scheme = out.url.scheme = "tcpclv4";
    in.tls = {config::TlsMode::kRequired, "/nowhere/ca.pem",  "",
              "/nowhere/one.pem",         "/nowhere/one.key", false};
    out.tls = in.tls;
    for (const auto &wrong : {check_link(in), check_link(out)}) {
        ASSERT_TRUE(wrong);
        EXPECT_EQ(wrong->find('\n'), std::string::npos);
#if FARLINK_TLS
        EXPECT_NE(wrong->find("/nowhere/"), std::string::npos) << *wrong;
#endif
    }
    const auto induct = make_induct(bench.resources(), in);
    EXPECT_FALSE(induct->open());
    const auto outduct = make_outduct(bench.resources(), out, 1);
    outduct->open();
    EXPECT_EQ(
        bench.host.changes,
        (std::vector<test::RecordingHost::Change>{{LinkState::kClosed, LinkFault::kTlsFailed}}));
    EXPECT_EQ(outduct->transmit_credit(), 0U);
}

#if FARLINK_TLS
TEST_F(LinkFactoryTls, ACertificateWithoutANodeIsToldAtTheStart) {
    const test::TlsFiles files;
    const auto said = [&](const certificates::NodeSpec &spec) {
        in.url.scheme = "tcpclv4";
        in.tls = files.issue_config("one", spec);
        testing::internal::CaptureStderr();
        EXPECT_TRUE(make_induct(bench.resources(), in)->open());
        return testing::internal::GetCapturedStderr();
    };
    certificates::NodeSpec spec = test::TlsFiles::node("ipn:1.0");
    EXPECT_EQ(said(spec), "");
    spec.names.node_ids.clear();
    const std::string unnamed = said(spec);
    EXPECT_NE(unnamed.find("one.pem: the certificate has no NODE-ID, DNS name or IP address: "
                           "peers that require TLS refuse this node, and no peer accepts"),
              std::string::npos)
        << unnamed;
    EXPECT_EQ(unnamed.find("refuse this node"), unnamed.rfind("refuse this node")) << unnamed;
    spec.names.dns_names = {"gate.example"};
    EXPECT_NE(said(spec).find(
                  "no NODE-ID, only a DNS name or IP address: peers that require a NODE-ID refuse "
                  "this node, and no peer accepts the certificate as proof of ipn:1.0"),
              std::string::npos);
}
#endif

TEST_F(LinkFactoryTls, NoLayerPretendsToHaveIt) {
    in.tls.mode = config::TlsMode::kRequired;
    in.url.scheme = "stcp";
    EXPECT_EQ(check_link(in), "TLS: stcp does not support TLS");
    in.url.scheme = "tcpclv3";
    in.tls.mode = config::TlsMode::kOptional;
    EXPECT_TRUE(check_link(in));
}

using LinkFactoryDeathTest = LinkFactory;

TEST_F(LinkFactoryDeathTest, KnowsNoOtherSchemes) {
    in.url.scheme = "pigeon";
    EXPECT_DEATH((void)make_induct(bench.resources(), in), "broken invariant");
}

}  // namespace
}  // namespace farlink::cla::link_factory_test
