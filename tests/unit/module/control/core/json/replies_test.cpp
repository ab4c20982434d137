// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/replies.hpp"

#include <gtest/gtest.h>

namespace farlink::control::replies_test {
namespace {

using Json = nlohmann::ordered_json;

bus::LinkEntry link(std::uint32_t number, std::uint64_t rate) {
    bus::LinkEntry entry;
    entry.link = LinkId{number};
    entry.neighbour = NodeNumber{20};
    entry.rate = BitRate{rate};
    entry.planned = true;
    return entry;
}

TEST(Replies, ALinkIsUpWhenItIsPlannedAndConnected) {
    bus::LinkEntry entry = link(1, 1000);
    EXPECT_EQ(link_json(entry)["up"], false);
    entry.connected = true;
    EXPECT_EQ(link_json(entry)["up"], true);
    EXPECT_EQ(link_json(entry)["rateBitsPerSec"], 1000);
    EXPECT_FALSE(link_json(entry).contains("retriedInSeconds"));
    entry.depleted_for = milliseconds(1500);
    EXPECT_EQ(link_json(entry)["retriedInSeconds"], 1.5);
    entry.planned = false;
    EXPECT_FALSE(link_json(entry).contains("rateBitsPerSec"));
}

TEST(Replies, OnlyLinksThatDifferAreListed) {
    const bus::LinkSnapshot before{{}, {link(1, 1000), link(2, 1000)}};
    const bus::LinkSnapshot after{{}, {link(1, 1000), link(2, 2000), link(3, 1)}};
    const Json differences = link_differences(before, after);
    ASSERT_EQ(differences.size(), 1U) << "link 3 is not in both";
    EXPECT_EQ(differences[0]["link"], 2);
    EXPECT_EQ(differences[0]["before"]["rateBitsPerSec"], 1000);
    EXPECT_EQ(differences[0]["after"]["rateBitsPerSec"], 2000);
}

TEST(Replies, RoutesHaveTheirCandidatesInOrder) {
    bus::RouteCandidate first;
    first.next_hop = NodeNumber{20};
    first.link = LinkId{1};
    bus::RouteCandidate second = first;
    second.link = LinkId{2};
    bus::RouteUpdate update;
    update.routes.push_back({NodeNumber{30}, {first, second}, 512});
    const Json routes = routes_json(update);
    EXPECT_EQ(routes[0]["destination"], 30);
    EXPECT_EQ(routes[0]["candidates"][1]["link"], 2);
    EXPECT_EQ(routes[0]["maxBundleBytes"], 512);
    const Json changes = route_differences({{{NodeNumber{30}, {first}, {}}}, {}});
    EXPECT_EQ(changes[0]["before"].size(), 1U);
    EXPECT_TRUE(changes[0]["after"].empty());
}

TEST(Replies, AnErrorHasAReasonAndItsParts) {
    EXPECT_EQ(error_reply(Refusal::kNotFound, "no link 7"),
              (Json{{"ok", false}, {"reason", "notFound"}, {"error", "no link 7"}}));
    const config::ConfigErrors errors{{}, {{"config.url", "found 7", "a URL", ""}}};
    const Json reply = error_reply(errors, "refused");
    EXPECT_EQ(reply["reason"], "invalid");
    EXPECT_EQ(reply["errors"][0]["path"], "config.url");
    EXPECT_EQ(reply["errors"][0]["expected"], "a URL");
}

}  // namespace
}  // namespace farlink::control::replies_test
