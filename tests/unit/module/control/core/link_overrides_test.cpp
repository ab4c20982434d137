// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/link_overrides.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::control::link_overrides_test {
namespace {

using Json = nlohmann::ordered_json;
using bus::AgentId;

/// Node 10: induct 0, outduct 1 to node 20.
config::NodeConfig node_config(unsigned instances) {
    const Json json{{"myNodeId", 10},
                    {"threads", {{"instances", instances}}},
                    {"inductsConfig", Json::array({{{"url", "stcp://127.0.0.1:4556"}}})},
                    {"outductsConfig",
                     Json::array({{{"url", "stcp://127.0.0.1:4557"}, {"nextHopNodeId", 20}}})}};
    auto config = config::parse_node_config(json.dump());
    EXPECT_TRUE(config) << config.error().to_string();
    return config ? std::move(*config) : config::NodeConfig{};
}

std::string outduct(std::uint64_t node, int port, int instance = 0) {
    Json json{{"url", "stcp://127.0.0.1:" + std::to_string(port)}, {"nextHopNodeId", node}};
    if (instance != 0) json["instance"] = instance;
    return json.dump();
}

TEST(LinkOverrides, ANumberBelongsToTheRequestedInstance) {
    const config::NodeConfig config = node_config(2);
    LinkOverrides overrides(config);
    const auto second = overrides.read(outduct(30, 4600, 2), true, kNoLink);
    ASSERT_TRUE(second) << second.error().to_string();
    EXPECT_EQ(second->id, LinkId{3});
    EXPECT_FALSE(overrides.read(outduct(30, 4600, 1), true, LinkId{3}));
    EXPECT_FALSE(overrides.read(outduct(30, 4600, 3), true, kNoLink));
    overrides.put(*second);
    EXPECT_TRUE(overrides.differences(AgentId::kEgress).empty());
    EXPECT_EQ(overrides.differences(AgentId::kEgress2).size(), 1U);
    EXPECT_TRUE(overrides.differences(AgentId::kIngress2).empty());
}

TEST(LinkOverrides, AChangeIsADifferenceUntilItIsRestored) {
    const config::NodeConfig config = node_config(1);
    LinkOverrides overrides(config);
    EXPECT_TRUE(overrides.differences(AgentId::kEgress).empty());
    const auto changed = overrides.read(outduct(20, 4800), true, LinkId{1});
    ASSERT_TRUE(changed) << changed.error().to_string();
    overrides.put(*changed);
    ASSERT_EQ(overrides.differences(AgentId::kEgress).size(), 1U);
    EXPECT_EQ(overrides.differences(AgentId::kEgress)[0].verb, bus::LinkVerb::kChange);
    overrides.restore(LinkId{1});
    EXPECT_TRUE(overrides.differences(AgentId::kEgress).empty());
    overrides.remove(LinkId{1});
    ASSERT_EQ(overrides.differences(AgentId::kEgress).size(), 1U);
    EXPECT_EQ(overrides.differences(AgentId::kEgress)[0].verb, bus::LinkVerb::kRemove);
    EXPECT_NE(overrides.not_free(LinkId{1}, false), "") << "it was an outduct";
    EXPECT_EQ(overrides.not_free(LinkId{1}, true), "");
}

TEST(LinkOverrides, AnInductHasThePortOnWhichItListens) {
    const config::NodeConfig config = node_config(1);
    LinkOverrides overrides(config);
    overrides.set_port(LinkId{0}, 5000);
    overrides.set_port(LinkId{1}, 5001);
    EXPECT_EQ(overrides.find(LinkId{0})->to_json()["url"], "stcp://127.0.0.1:5000");
    EXPECT_EQ(overrides.find(LinkId{1})->to_json()["url"], "stcp://127.0.0.1:4557");
    EXPECT_EQ(overrides.find(LinkId{2}), nullptr);
}

}  // namespace
}  // namespace farlink::control::link_overrides_test
