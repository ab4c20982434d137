// SPDX-License-Identifier: Apache-2.0
// Several nodes whose links carry bundles both ways: either end may open the connection.
// An echo request passes all of them, and its reply returns by the same connections.
#include <gtest/gtest.h>

#include <optional>

#include "tests/support/reserved_port.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/tool_programs.hpp"

namespace farlink::test {
namespace {

using Json = nlohmann::json;

constexpr int kFirst = 1;
constexpr int kRouter = 10;
constexpr int kSecond = 2;
constexpr int kPinger = 99;
constexpr int kPings = 20;

/// Pinger - first - router - second, with endless contacts in both directions.
Json contact_plan() {
    Json contacts = Json::array();
    const auto add = [&](int from, int to) {
        contacts.push_back({{"contact", contacts.size()},
                            {"source", from},
                            {"dest", to},
                            {"startTime", 0},
                            {"endTime", 100'000}});
    };
    for (const auto &[a, b] : {std::pair{kPinger, kFirst}, {kFirst, kRouter}, {kRouter, kSecond}}) {
        add(a, b);
        add(b, a);
    }
    return {{"contacts", contacts}};
}

class RunningNode {
public:
    /// `calls`: the neighbours that it connects to, and their ports.
    RunningNode(const TempFolder &folder, const std::string &scheme, int number,
                const std::vector<std::pair<int, std::uint16_t>> &calls) {
        const std::string name = "node" + std::to_string(number);
        Json config{{"myNodeId", number},
                    {"contactPlanFile", "plan.json"},
                    {"storageConfig", {{"storeFilePath", name + "-store"}}}};
        config["inductsConfig"] =
            Json::array({{{"url", loopback_url(scheme, 0)},
                          {"neighbours", Json::array({{{"address", "127.0.0.0/8"}}})}}});
        for (const auto &[neighbour, port] : calls)
            config["outductsConfig"].push_back({{"url", loopback_url(scheme, port)},
                                                {"nextHopNodeId", neighbour},
                                                {"reconnectMaxMilliseconds", 200}});
        folder.write(name + ".json", config.dump());
        node_.emplace(std::vector<std::string>{program("farlink"), "--config",
                                               folder / (name + ".json"), "--counters"});
        for (std::string said = node_->line(ChildProcess::kOut); !said.empty();
             said = node_->line(ChildProcess::kOut)) {
            const Json ready = Json::parse(said, nullptr, false);
            if (!ready.is_object() || !ready.contains("ports")) continue;
            port_ = ready["ports"][0].get<std::uint16_t>();
            return;
        }
        ADD_FAILURE() << "not ready: " << node_->unread(ChildProcess::kErr);
    }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    void stop() {
        node_->signal(SIGTERM);
        EXPECT_EQ(node_->wait(), 0) << node_->unread(ChildProcess::kErr);
    }

private:
    std::optional<ChildProcess> node_;
    std::uint16_t port_ = 0;
};

class BothWays : public testing::TestWithParam<const char *> {
protected:
    BothWays() { folder.write("plan.json", contact_plan().dump()); }

    static void expect_replies(const std::string &url) {
        // The first bundles may be stored until every link is up; they arrive too.
        ChildProcess ping({program("bping"), "--from", "ipn:99.1", "--to", "ipn:2.2047", "--via",
                           url, "--count", std::to_string(kPings), "--interval", "0.02",
                           "--timeout", "10", "--json"});
        EXPECT_EQ(ping.wait(), 0) << ping.unread(ChildProcess::kErr);
        EXPECT_NE(ping.unread(ChildProcess::kOut).find("\"lost\":0"), std::string::npos)
            << ping.unread(ChildProcess::kOut);
    }
    TempFolder folder;
};

INSTANTIATE_TEST_SUITE_P(Layers, BothWays, testing::Values("tcpclv3", "tcpclv4"));

TEST_P(BothWays, TwoActiveNodesExchangeBundlesThroughTheRouter) {
    RunningNode router(folder, GetParam(), kRouter, {});
    RunningNode first(folder, GetParam(), kFirst, {{kRouter, router.port()}});
    RunningNode second(folder, GetParam(), kSecond, {{kRouter, router.port()}});
    expect_replies(loopback_url(GetParam(), first.port()));
    first.stop();
    second.stop();
    router.stop();
}

TEST_P(BothWays, TwoPassiveNodesExchangeBundlesThroughTheRouter) {
    RunningNode first(folder, GetParam(), kFirst, {});
    RunningNode second(folder, GetParam(), kSecond, {});
    RunningNode router(folder, GetParam(), kRouter,
                       {{kFirst, first.port()}, {kSecond, second.port()}});
    expect_replies(loopback_url(GetParam(), first.port()));
    router.stop();
    first.stop();
    second.stop();
}

TEST_P(BothWays, APassiveNodeSendsToAnActiveOne) {
    RunningNode first(folder, GetParam(), kFirst, {});
    RunningNode router(folder, GetParam(), kRouter, {{kFirst, first.port()}});
    RunningNode second(folder, GetParam(), kSecond, {{kRouter, router.port()}});
    expect_replies(loopback_url(GetParam(), first.port()));
    second.stop();
    router.stop();
    first.stop();
}

}  // namespace
}  // namespace farlink::test
