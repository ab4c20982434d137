// SPDX-License-Identifier: Apache-2.0
// Why links do not come up, over real sockets: the link, the events and the log contain each cause
// in words, at the side that connects and at the side that listens.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "tests/support/link_settings.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::test::link_reasons_test {
namespace {

using Json = nlohmann::json;

class LinkReasons : public testing::Test {
protected:
    void SetUp() override {
        make_certificates(folder_, {10, 20});
        make_certificates(strangers_, {10});
    }
    /// Starts a node with these links; `name` distinguishes a second node.
    std::unique_ptr<NodeProgram> start(int number, Json inducts, Json outducts) {
        const std::string name = "node" + std::to_string(number);
        const Json config{{"myNodeId", number},
                          {"controlSocket", name},
                          {"stateFolder", name + "-state"},
                          {"storageConfig", {{"storeFilePath", name + "-store"}}},
                          {"inductsConfig", std::move(inducts)},
                          {"outductsConfig", std::move(outducts)}};
        return std::make_unique<NodeProgram>(folder_, config, name + ".json");
    }
    [[nodiscard]] Json tls(const Json &link, const TempFolder &certificates, int node) const {
        const LinkSettings settings{.layer = "tls", .certificates = certificates.path().string()};
        Json with = settings.section("127.0.0.1", 0, node);
        with.update(link);
        return with;
    }
    Json ask(int node, std::vector<std::string> words) {
        words.insert(words.begin(), program("farlinkctl"));
        words.insert(words.end(),
                     {"--json", "--socket", folder_ / ("node" + std::to_string(node))});
        ChildProcess child(std::move(words));
        (void)child.wait();
        return Json::parse(child.unread(ChildProcess::kOut), nullptr, false);
    }
    [[nodiscard]] static bool holds(const Json &list, std::uint64_t link, const std::string &words,
                                    const char *number, const char *text) {
        for (const Json &each : list)
            if (each.value(number, ~std::uint64_t{0}) == link &&
                each.value(text, std::string()).find(words) != std::string::npos)
                return true;
        return false;
    }
    /// Events have the number of the neighbour's node.
    [[nodiscard]] static std::string event_words(const std::string &words) {
        constexpr std::string_view kNeighbour = "the neighbour";
        return words.starts_with(kNeighbour) ? words.substr(kNeighbour.size()) : words;
    }
    /// Waits until the links and the events contain the reason.
    void expect_reason(
        int node, std::uint64_t link, const std::string &words,
        const std::function<void()> &meanwhile = [] {}) {
        Json links;
        Json events;
        for (int i = 0; i < 500; ++i) {
            meanwhile();
            links = ask(node, {"links"})["links"];
            events = ask(node, {"events", "--limit", "1000"})["events"];
            if (holds(links, link, words, "number", "reason") &&
                holds(events, link, event_words(words), "link", "text"))
                return;
        }
        ADD_FAILURE() << words << '\n' << links << '\n' << events;
    }
    void expect_event(int node, const std::string &text) {
        const Json events = ask(node, {"events", "--limit", "1000"})["events"];
        for (const Json &event : events)
            if (event["text"] == text) return;
        ADD_FAILURE() << text << '\n' << events;
    }
    /// Waits until the log of the process contains the reason; the rate of the log is limited.
    static void expect_log(NodeProgram &node, const std::string &words) {
        constexpr int kMostLines = 1'000;
        for (int i = 0; i < kMostLines; ++i) {
            const std::string line = node.line(ChildProcess::kErr);
            if (line.find(words) != std::string::npos) return;
            if (line.empty()) break;
        }
        ADD_FAILURE() << words;
    }
    [[nodiscard]] static Json outduct(const std::string &url, int node) {
        return {{"url", url}, {"nextHopNodeId", node}};
    }

    TempFolder folder_;
    TempFolder strangers_;  ///< certificates of another authority
};

TEST_F(LinkReasons, NoPeerListens) {
    TcpListener chooses;
    const std::string url = loopback_url("tcpclv4", chooses.port());
    chooses.close();
    const auto node = start(10, Json::array(), Json::array({outduct(url, 20)}));
    expect_reason(10, 0, "cannot connect: Connection refused");
    expect_event(10, "link 0 to node 20: cannot connect: Connection refused");
    const Json status = ask(10, {"status"});
    EXPECT_EQ(status["links"][0].value("reason", ""), "cannot connect: Connection refused");
    ChildProcess shown({program("farlinkctl"), "status", "--socket", folder_ / "node10"});
    EXPECT_EQ(shown.wait(), 0);
    EXPECT_NE(shown.unread(ChildProcess::kOut)
                  .find("link 0 to node 20: cannot connect: Connection refused\n"),
              std::string::npos);
    expect_log(*node, "cannot connect to " + url + ": Connection refused");
}

TEST_F(LinkReasons, ThereIsNoSuchHost) {
    const auto node =
        start(10, Json::array(), Json::array({outduct("stcp://no-such-host.invalid:4556", 20)}));
    expect_reason(10, 0, "cannot connect: cannot look up no-such-host.invalid");
    expect_log(*node, "cannot look up no-such-host.invalid");
}

TEST_F(LinkReasons, ThePeerClosesAtOnce) {
    const TcpListener listener;
    const auto node = start(10, Json::array(),
                            Json::array({outduct(loopback_url("tcpclv4", listener.port()), 20)}));
    // A socket that is closed unread resets the connection, which is another reason.
    std::vector<TcpPeer> accepted;
    const auto close_all = [&] {
        while (auto peer = listener.accept()) {
            peer->half_close();
            accepted.push_back(std::move(*peer));
        }
    };
    expect_reason(10, 0, "the neighbour closed the connection", close_all);
    expect_event(10, "link 0: node 20 closed the connection");
    expect_log(*node, "the neighbour closed the connection");
}

TEST_F(LinkReasons, TlsOnOneSideOnlyOrCertificatesOfAnotherAuthority) {
    if (!kTls) GTEST_SKIP() << "a build without TLS";
    const auto far = start(20, Json::array({tls({{"url", "tcpclv4://127.0.0.1:0"}}, folder_, 20)}),
                           Json::array());
    const std::string url = loopback_url("tcpclv4", far->port());
    const auto node = start(10, Json::array(),
                            Json::array({outduct(url, 20), tls(outduct(url, 21), strangers_, 10)}));
    expect_reason(10, 0, "the neighbour requires TLS and this link does not use it");
    expect_reason(10, 1, "the TLS handshake failed: the peer's certificate is refused");
    expect_log(*node, "the neighbour requires TLS");
    expect_reason(20, 0, "127.0.0.1: ");
}

TEST_F(LinkReasons, TheOtherEndHasAnotherConvergenceLayer) {
    const auto far = start(20,
                           Json::array({{{"url", "tcpclv3://127.0.0.1:0"}},
                                        {{"url", "stcp://127.0.0.1:0"}},
                                        {{"url", "tcpclv4://127.0.0.1:0"}}}),
                           Json::array());
    const auto node = start(10, Json::array(),
                            Json::array({outduct(loopback_url("stcp", far->port(0)), 21),
                                         outduct(loopback_url("tcpclv4", far->port(0)), 22),
                                         outduct(loopback_url("tcpclv4", far->port(1)), 23)}));
    expect_reason(10, 0, "does not use STCP: its first octets look like TCPCL");
    expect_reason(10, 1, "uses version 3 of TCPCL and this link version 4");
    expect_reason(20, 0, "uses version 4 of TCPCL and this link version 3");
    expect_reason(20, 1,
                  "127.0.0.1: the neighbour does not use STCP: its first octets look like TCPCL");
    expect_log(*far, "does not use STCP: its first octets look like TCPCL");
    const Bytes frame{0, 0, 0, 3, 0x9f, 0x88, 0x01};
    expect_reason(20, 2, "does not use TCPCL: its first octets look like STCP", [&] {
        const TcpPeer peer = TcpPeer::connect(far->port(2));
        (void)peer.send(frame);
    });
}

TEST_F(LinkReasons, AnUnprovedNodeIdIsExplainedWithTheSettingToAdd) {
    const auto far = start(20, Json::array({{{"url", "tcpclv4://127.0.0.1:0"}}}), Json::array());
    const auto node =
        start(4, Json::array(), Json::array({outduct(loopback_url("tcpclv4", far->port()), 20)}));
    Json published;
    for (int i = 0; i < 500; ++i) {
        published = ask(20, {"routes", "explain", "20", "4"});
        if (published["outcome"].dump().find("no rule has a route") == std::string::npos) break;
    }
    const std::string outcome = published["outcome"];
    EXPECT_TRUE(
        outcome.starts_with("the bundle waits in storage: a peer at 127.0.0.1 claims to be node 4, "
                            "but its node id is not proved"))
        << outcome;
    EXPECT_NE(
        outcome.find(R"(add {"nodeId": 4, "address": "127.0.0.1"} to `neighbours` of induct 0)"),
        std::string::npos)
        << outcome;
}

}  // namespace
}  // namespace farlink::test::link_reasons_test
