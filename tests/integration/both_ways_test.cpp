// SPDX-License-Identifier: Apache-2.0
// Several nodes whose links carry bundles both ways: either end may open the connection.
// An echo request passes all of them, and its reply returns by the same connections.
#include <gtest/gtest.h>

#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"

namespace farlink::test::both_ways_test {
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

class RunningNode : public NodeProgram {
public:
    /// `calls`: the neighbours that it connects to, and their ports.
    RunningNode(const TempFolder &folder, const std::string &scheme, int number,
                const std::vector<std::pair<int, std::uint16_t>> &calls)
        : NodeProgram(folder, configured(scheme, number, calls), name_of(number) + ".json") {}

private:
    static std::string name_of(int number) { return "node" + std::to_string(number); }
    static Json configured(const std::string &scheme, int number,
                           const std::vector<std::pair<int, std::uint16_t>> &calls) {
        Json config{{"myNodeId", number},
                    {"contactPlanFile", "plan.json"},
                    {"storageConfig", {{"storeFilePath", name_of(number) + "-store"}}}};
        config["inductsConfig"] =
            Json::array({{{"url", loopback_url(scheme, 0)},
                          {"neighbours", Json::array({{{"address", "127.0.0.0/8"}}})}}});
        for (const auto &[neighbour, port] : calls)
            config["outductsConfig"].push_back({{"url", loopback_url(scheme, port)},
                                                {"nextHopNodeId", neighbour},
                                                {"reconnectMaxMilliseconds", 200}});
        return config;
    }
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
}  // namespace farlink::test::both_ways_test
