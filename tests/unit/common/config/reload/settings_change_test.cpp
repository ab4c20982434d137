// SPDX-License-Identifier: Apache-2.0
#include "common/config/reload/settings_change.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/config/node/load_node_config.hpp"
#include "common/config/reload/live_settings.hpp"

namespace farlink::config::settings_change_test {
namespace {

using Json = nlohmann::ordered_json;

NodeConfig config_of(const std::string &text) {
    auto config = parse_node_config(text, "/etc/farlink");
    EXPECT_TRUE(config) << config.error().to_string();
    return config ? std::move(*config) : NodeConfig{};
}

std::string file(const Json &more) {
    Json whole{{"myNodeId", 10}, {"inductsConfig", Json::array({{{"url", "stcp://a:1"}}})}};
    whole.update(more);
    return whole.dump();
}

TEST(SettingsChange, ModulesGetWhatTheyApplyAndNothingElse) {
    const std::string text =
        file({{"routing", {{"defaultGateway", 20}, {"hopLimit", 9}}},
              {"maxPauseMilliseconds", 70},
              {"fragmentBundlesLargerThanBytes", "64k"},
              {"statusReports", true},
              {"storageConfig", {{"whenFull", "makeRoom"}, {"totalStorageCapacityBytes", "1G"}}},
              {"alarms", {{"planEndsWithinHours", 3}, {"command", "call.sh"}}},
              {"api", {{"listen", "127.0.0.1:0"}, {"tokensFile", "tokens.json"}}}});
    const std::string sent = settings_json(text, config_of(text));
    EXPECT_FALSE(Json::parse(sent).contains("inductsConfig"));
    const auto got = settings_from_json(sent);
    ASSERT_TRUE(got) << got.error().to_string();
    EXPECT_EQ(got->routing.default_gateway, NodeNumber{20});
    EXPECT_EQ(got->max_pause, milliseconds(70));
    EXPECT_EQ(got->fragment_above_bytes, 64'000U);
    EXPECT_EQ(got->storage.capacity_bytes, 1'000'000'000U);
    EXPECT_EQ(got->api.tokens_file, "/etc/farlink/tokens.json");
    EXPECT_EQ(got->alarms.plan_hours, 3U);
    EXPECT_EQ(got->alarms.command, "/etc/farlink/call.sh");
}

// Each key of the table of live settings that modules apply.
TEST(SettingsChange, TheKeysAreThoseOfTheLiveSettings) {
    Json whole{
        {"myNodeId", 10}, {"bufferBytes", 1}, {"logLevel", "info"}, {"contactPlanFile", "p"}};
    std::vector<std::string> wanted{"myNodeId"};
    for (const LiveSetting &setting : live_settings()) {
        if (setting.applied != Applied::kLimits && setting.applied != Applied::kRouting) continue;
        const std::string key(setting.path.substr(0, setting.path.find('.')));
        whole[key] = Json::object();
        if (std::ranges::find(wanted, key) == wanted.end()) wanted.push_back(key);
    }
    const Json sent = Json::parse(settings_json(whole.dump(), {}));
    std::vector<std::string> keys;
    for (const auto &[key, value] : sent.items())
        if (key != "api") keys.push_back(key);
    EXPECT_EQ(keys, wanted);
    EXPECT_TRUE(sent.contains("neighborDepletedStorageDelaySeconds"));
    EXPECT_TRUE(sent.contains("storageConfig"));
}

TEST(SettingsChange, OnlyTheseSettingsAreTaken) {
    NodeConfig running = config_of(file(
        {{"bufferBytes", "64M"},
         {"storageConfig",
          {{"quotas", Json::array({{{"source", "ipn:1.*"}, {"capacityBytes", 5}}})}}},
         {"outductsConfig",
          Json::array(
              {{{"url", "tcpclv4://b:1"}, {"nextHopNodeId", 20}, {"peerNodeId", "dtn://b/"}}})}}));
    const std::size_t names = running.routing.nodes.size();
    ASSERT_EQ(names, 1U);
    const NodeConfig changed = config_of(
        file({{"bufferBytes", "32M"},
              {"statusReports", true},
              {"acknowledgeWithinMilliseconds", 3},
              {"routing", {{"returnToSender", true}}},
              {"storageConfig",
               {{"quotas", Json::array({{{"source", "ipn:1.*"}, {"capacityBytes", 6}}})}}}}));
    take_settings(running, changed);
    EXPECT_TRUE(running.status_reports);
    EXPECT_EQ(running.acknowledge_within, milliseconds(3));
    EXPECT_TRUE(running.routing.return_to_sender);
    EXPECT_EQ(running.routing.nodes.size(), names) << "names stay";
    EXPECT_EQ(running.storage.quotas[0].capacity_bytes, 6U);
    EXPECT_EQ(running.buffer_bytes, 64'000'000U);
}

TEST(SettingsChange, AWrongTextIsAnError) {
    EXPECT_FALSE(settings_from_json("{"));
    EXPECT_FALSE(settings_from_json(R"({"myNodeId":1,"maxPauseMilliseconds":-1})"));
}

}  // namespace
}  // namespace farlink::config::settings_change_test
