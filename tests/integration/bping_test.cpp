// SPDX-License-Identifier: Apache-2.0
// bping against the echo service of a real node, over every convergence layer and with both bundle
// versions: by the connection that it opens, or by a return link where the layer is one-way.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::test::bping_test {
namespace {

using Json = nlohmann::json;

constexpr int kPings = 5;

/// Node 2, whose configuration has node 99 at the loopback address.
class EchoNode {
public:
    /// `reply_port`: the port of node 99; 0: replies take the connection that node 99 opens.
    EchoNode(const std::string &scheme, std::uint16_t reply_port)
        : node_(folder_, configured(scheme, reply_port)) {}
    [[nodiscard]] std::uint16_t port() const { return node_.port(); }
    void stop() { node_.stop(); }

private:
    static Json configured(const std::string &scheme, std::uint16_t reply_port) {
        Json induct{{"url", loopback_url(scheme, 0)}};
        Json config{{"myNodeId", 2}, {"storageConfig", {{"storeFilePath", "store"}}}};
        if (reply_port == 0)
            induct["neighbours"] = Json::array({{{"nodeId", 99}, {"address", "127.0.0.1"}}});
        else
            config["outductsConfig"] =
                Json::array({{{"url", loopback_url(scheme, reply_port)}, {"nextHopNodeId", 99}}});
        config["inductsConfig"] = Json::array({induct});
        return config;
    }

    TempFolder folder_;
    NodeProgram node_;
};

std::vector<std::string> ping_words(const std::string &url, const std::vector<std::string> &more) {
    return joined({program("bping"), "--to", "ipn:2.2047", "--via", url, "--count",
                   std::to_string(kPings), "--interval", "0.01", "--json"},
                  more);
}

/// All lines that a program has printed, as JSON.
std::vector<Json> lines_of(const ChildProcess &program) {
    std::vector<Json> found;
    std::istringstream text(program.unread(ChildProcess::kOut));
    for (std::string line; std::getline(text, line);)
        found.push_back(Json::parse(line, nullptr, false));
    return found;
}

void expect_every_reply(ChildProcess &ping, int size) {
    EXPECT_EQ(ping.wait(), 0) << ping.unread(ChildProcess::kErr);
    const std::vector<Json> lines = lines_of(ping);
    ASSERT_EQ(lines.size(), kPings + 1U);
    for (int i = 0; i < kPings; ++i) {
        EXPECT_EQ(lines[i]["type"], "reply") << lines[i];
        EXPECT_EQ(lines[i]["bytes"], size) << lines[i];
    }
    const Json &summary = lines.back();
    EXPECT_EQ(summary["type"], "summary");
    EXPECT_EQ(summary["sent"], kPings) << summary;
    EXPECT_EQ(summary["received"], kPings) << summary;
    EXPECT_EQ(summary["lost"], 0) << summary;
    EXPECT_EQ(summary["unexpected"], 0) << summary;
    EXPECT_GT(summary["milliseconds"]["p50"].get<double>(), 0) << summary;
}

class Ping : public testing::TestWithParam<std::tuple<const char *, const char *>> {
protected:
    [[nodiscard]] static std::string scheme() { return std::get<0>(GetParam()); }
    [[nodiscard]] static std::string version() { return std::get<1>(GetParam()); }
};

using PingBothWays = Ping;
INSTANTIATE_TEST_SUITE_P(Layers, PingBothWays,
                         testing::Combine(testing::Values("tcpclv3", "tcpclv4", "ltp"),
                                          testing::Values("7", "6")));

TEST_P(PingBothWays, GetsEveryReplyOnItsOneConnection) {
    EchoNode node(scheme(), 0);
    const std::string url = loopback_url(scheme(), node.port());
    ChildProcess small(ping_words(url, {"--bp-version", version()}));
    expect_every_reply(small, 64);
    ChildProcess large(ping_words(url, {"--bp-version", version(), "--bundle-size", "300k"}));
    expect_every_reply(large, 300'000);
    node.stop();
}

using PingOneWay = Ping;
INSTANTIATE_TEST_SUITE_P(Layers, PingOneWay,
                         testing::Combine(testing::Values("stcp", "mtcp", "udp"),
                                          testing::Values("7", "6")));

TEST_P(PingOneWay, GetsEveryReplyByItsReturnLink) {
    const ReservedPort reply(scheme() == "udp" ? SOCK_DGRAM : SOCK_STREAM);
    EchoNode node(scheme(), reply.number());
    ChildProcess small(ping_words(
        loopback_url(scheme(), node.port()),
        {"--bp-version", version(), "--listen", loopback_url(scheme(), reply.number())}));
    expect_every_reply(small, 64);
    node.stop();
}

TEST(PingAlone, CountsRequestsWithoutAReply) {
    SinkProgram sink(loopback_url("tcpclv4", 0), {});
    ChildProcess ping(ping_words(loopback_url("tcpclv4", sink.port()), {"--timeout", "0.2"}));
    EXPECT_EQ(ping.wait(), 1);
    const std::vector<Json> lines = lines_of(ping);
    ASSERT_EQ(lines.size(), kPings + 1U);
    for (int i = 0; i < kPings; ++i) {
        EXPECT_EQ(lines[i]["type"], "lost");
        EXPECT_EQ(lines[i]["sequence"], i);
    }
    EXPECT_EQ(lines.back()["sent"], kPings);
    EXPECT_EQ(lines.back()["lost"], kPings);
    EXPECT_EQ(lines.back()["lostPercent"], 100);
}

TEST(PingAlone, PrintsItsSummaryWhenInterrupted) {
    EchoNode node("tcpclv4", 0);
    ChildProcess ping({program("bping"), "--to", "ipn:2.2047", "--via",
                       loopback_url("tcpclv4", node.port()), "--interval", "1000"});
    EXPECT_NE(ping.line(ChildProcess::kOut).find("seq=0"), std::string::npos);
    ping.signal(SIGINT);
    EXPECT_EQ(ping.wait(), 0);
    const std::string &said = ping.unread(ChildProcess::kOut);
    EXPECT_NE(said.find("1 sent, 1 received, 0 lost"), std::string::npos) << said;
    EXPECT_NE(said.find("p99"), std::string::npos) << said;
}

TEST(PingAlone, ReportsWhyThereIsNoConnection) {
    const auto expect_reason = [](const std::string &url, const std::string &why) {
        ChildProcess ping(ping_words(url, {"--timeout", "0.5"}));
        EXPECT_EQ(ping.wait(), 1);
        const std::string &said = ping.unread(ChildProcess::kErr);
        EXPECT_NE(said.find(why), std::string::npos) << said;
        const Json summary = lines_of(ping).back();
        EXPECT_NE(summary.value("error", "").find(why), std::string::npos) << summary;
        for (const auto &[name, time] : summary["milliseconds"].items())
            EXPECT_TRUE(time.is_null()) << name << ": there was no reply";
    };
    const ReservedPort nobody(SOCK_STREAM);
    expect_reason(loopback_url("tcpclv4", nobody.number()), ": Connection refused");
    expect_reason("tcpclv4://no-such-host.invalid:4556", ": cannot look up no-such-host.invalid");
    const TcpListener silent;
    expect_reason(loopback_url("tcpclv4", silent.port()), ": the peer does not respond");
}

TEST(PingAlone, RequiresAReturnLinkWhereTheLayerIsOneWay) {
    ChildProcess ping(ping_words(loopback_url("stcp", 1), {}));
    EXPECT_EQ(ping.wait(), 2);
    EXPECT_NE(ping.unread(ChildProcess::kErr).find("--listen"), std::string::npos);
}

TEST(PingAlone, StatesWhatHoldsWithoutALinkOfItsOwn) {
    ChildProcess ping({program("bping"), "--help"});
    EXPECT_EQ(ping.wait(), 0);
    std::istringstream words(ping.unread(ChildProcess::kOut));
    std::string text;
    for (std::string word; words >> word;) text += word + ' ';
    EXPECT_NE(text.find("with --via: induct for replies"), std::string::npos) << text;
    EXPECT_NE(text.find("of each reply, seconds; without --via at most 60 "), std::string::npos)
        << text;
}

TEST(BpingAlone, SaysThatNobodyAcknowledgesByLtp) {
    const ReservedPort nobody(SOCK_DGRAM);
    ChildProcess ping({program("bping"), "--to", "ipn:2.2047", "--via",
                       loopback_url("ltp", nobody.number()), "--count", "1", "--timeout", "0.3"});
    EXPECT_EQ(ping.wait(), 1);
    EXPECT_NE(ping.unread(ChildProcess::kErr)
                  .find("bping: the peer at " + loopback_url("ltp", nobody.number()) +
                        " acknowledges nothing"),
              std::string::npos)
        << ping.unread(ChildProcess::kErr);
}

}  // namespace
}  // namespace farlink::test::bping_test
