// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/storage_commands.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace farlink::control::storage_commands_test {
namespace {

using Json = nlohmann::ordered_json;
using Nodes = HeldDestinations::Nodes;

/// Runs work at once.
class DirectQueue final : public WorkQueue {
public:
    bool add(Work work, Then then, std::size_t) override {
        work({});
        then({});
        return true;
    }
};

class StorageCommandsTest : public testing::Test {
protected:
    StorageCommandsTest() { config.node = NodeNumber{10}; }
    /// As from a client.
    static Json parsed(const Json &request) { return Json::parse(request.dump()); }
    Answer take() {
        return [this](const Json &said) { reply = said; };
    }
    void remove(const Json &request) { commands.remove(parsed(request), {0, "anna"}, take(), now); }
    void hold(std::uint64_t node, bool held) {
        commands.hold(parsed({{"destination", node}}), held, {0, "anna"}, take());
    }
    void reply_store(const std::function<void(bus::StoreReply &)> &fill) {
        bus::StoreReply part;
        part.id = asked.back().id;
        fill(part);
        requests.handle(std::move(part), now);
    }

    WallClock now{TimePoint{} + seconds(1), 1000};
    config::NodeConfig config;
    std::vector<bus::StoreRequest> asked;
    std::string holds_sent;  ///< to the router
    PendingRequests requests{
        {}, [this](bus::AgentId, bus::Message message) {
            if (auto *store = std::get_if<bus::StoreRequest>(&message))
                asked.push_back(std::move(*store));
            if (const auto *held = std::get_if<bus::DestinationHold>(&message))
                holds_sent +=
                    std::to_string(held->destination.value()) + (held->held ? "+ " : "- ");
            if (const auto *routes = std::get_if<bus::SnapshotRequest>(&message)) {
                bus::RouteUpdate update;
                update.id = routes->id;
                requests.handle(std::move(update), now);
            }
        }};
    HeldDestinations holds;
    std::string disk_error;
    DirectQueue queue;
    std::string logged;
    ControlLog log{.info = [this](const std::string &line) { logged += line + '\n'; },
                   .error = [this](const std::string &line) { logged += line + '\n'; }};
    StorageCommands commands{config, requests, holds, [this](const Nodes &) { return disk_error; },
                             queue,  log};
    Json reply;
};

TEST_F(StorageCommandsTest, ADeletionGoesOnUntilItsTimeIsUp) {
    remove({{"destination", "ipn:20.*"}});
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].verb, bus::StoreVerb::kDelete);
    reply_store([](auto &part) {
        part.more = true;
        part.last = 7;
        part.deleted = 2;
        part.deleted_bytes = 200;
    });
    ASSERT_EQ(asked.size(), 2U);
    EXPECT_EQ(asked[1].after, 7U);
    EXPECT_TRUE(reply.is_null());
    now.at += seconds(4);
    reply_store([](auto &part) {
        part.more = true;
        part.last = 9;
        part.deleted = 1;
        part.deleted_bytes = 100;
    });
    EXPECT_EQ(asked.size(), 2U);
    EXPECT_EQ(reply["deleted"], 3);
    EXPECT_EQ(reply["more"], true);
    EXPECT_EQ(reply["next"], "9");
    EXPECT_EQ(logged, "deleted by anna: 3 stored bundles (300 bytes) for ipn:20.*\n");
}

TEST_F(StorageCommandsTest, ADeletionThatFailsReportsItsPart) {
    remove({{"destination", "ipn:20.*"}});
    reply_store([](auto &part) {
        part.more = true;
        part.last = 7;
        part.deleted = 2;
    });
    reply_store([](auto &part) { part.error = {'n', 'o'}; });
    EXPECT_EQ(reply["reason"], "unavailable");
    EXPECT_EQ(reply["error"], "2 bundles deleted before this error: no");
}

TEST_F(StorageCommandsTest, ANamedBundleThatStaysIsAnError) {
    const Json named{{"bundles", Json::array({"5"})}};
    remove(named);
    reply_store([](auto &part) { part.kept_in_custody = 1; });
    EXPECT_EQ(reply["reason"], "conflict");
    remove(named);
    reply_store([](auto &part) { part.kept = 1; });
    EXPECT_EQ(reply["reason"], "conflict");
    remove(named);
    reply_store([](auto &) {});
    EXPECT_EQ(reply["reason"], "notFound");
    remove(Json::object());
    EXPECT_EQ(reply["reason"], "malformed") << "it names no bundles";
}

TEST_F(StorageCommandsTest, AListWithoutReplyIsAnError) {
    commands.list(Json::object(), take(), now);
    now.at += seconds(5);
    requests.handle_timeout(now);
    EXPECT_EQ(reply["reason"], "unavailable");
}

TEST_F(StorageCommandsTest, FragmentSetsAreListedInPages) {
    commands.sets(parsed({{"destination", "ipn:20.*"}, {"limit", 1}}), take(), now);
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].verb, bus::StoreVerb::kSets);
    EXPECT_EQ(as_text(asked[0].destination), "ipn:20.*");
    EXPECT_EQ(asked[0].limit, 1U);
    reply_store([](auto &part) {
        part.sets.resize(1);
        part.sets[0].set = 7;
        part.more = true;
        part.last = 7;
    });
    EXPECT_EQ(reply["ok"], true);
    EXPECT_EQ(reply["sets"].size(), 1U);
    EXPECT_EQ(reply["sets"][0]["set"], "7");
    EXPECT_EQ(reply["next"], "7");
}

TEST_F(StorageCommandsTest, AHoldIsWrittenThenSentToTheRouter) {
    hold(20, true);
    EXPECT_EQ(reply, (Json{{"ok", true}, {"held", Json::array({20})}}));
    EXPECT_EQ(holds_sent, "20+ ");
    hold(20, false);
    EXPECT_EQ(reply["held"], Json::array());
    hold(20, false);
    EXPECT_EQ(reply["reason"], "notFound");
    hold(10, true);
    EXPECT_EQ(reply["reason"], "invalid") << "the node itself";
    disk_error = "disk full";
    hold(30, true);
    EXPECT_EQ(reply["error"], "disk full");
    EXPECT_EQ(holds.held(), Nodes{});
}

TEST_F(StorageCommandsTest, HoldsAreBounded) {
    Nodes many;
    for (std::uint64_t node = 100; many.size() < HeldDestinations::kMostHeld; ++node)
        many.insert(NodeNumber{node});
    holds.take(many);
    hold(20, true);
    EXPECT_EQ(reply["reason"], "conflict");
}

TEST_F(StorageCommandsTest, ARouterThatStartsGetsAllHolds) {
    holds.take({NodeNumber{20}, NodeNumber{30}});
    commands.publish_to_router();
    EXPECT_EQ(holds_sent, "20+ 30+ 0- ");
}

}  // namespace
}  // namespace farlink::control::storage_commands_test
