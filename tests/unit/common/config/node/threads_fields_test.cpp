// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/threads_fields.hpp"

#include <gtest/gtest.h>

#include <string>

#include "common/config/node/link_placement.hpp"
#include "common/config/node/load_node_config.hpp"

namespace farlink::config::threads_fields_test {
namespace {

/// Two inducts and three outducts, each with `more` among its options.
std::string node_with(const std::string &threads, const std::string &more = {}) {
    std::string text = R"({"myNodeId": 10, "inductsConfig": [)";
    for (int i = 0; i < 2; ++i)
        text += std::string(i == 0 ? "" : ",") + R"({"url": "stcp://127.0.0.1:0")" + more + "}";
    text += R"(], "outductsConfig": [)";
    for (int i = 0; i < 3; ++i)
        text += std::string(i == 0 ? "" : ",") + R"({"url": "stcp://127.0.0.1:1)" +
                std::to_string(i) + R"(", "nextHopNodeId": )" + std::to_string(2 + i) + more + "}";
    return text + R"(], "threads": )" + threads + "}";
}

std::string errors_of(const std::string &json) {
    const auto config = parse_node_config(json, ".");
    return config ? std::string() : config.error().to_string();
}

TEST(Threads, OneInstanceUnlessToldOtherwise) {
    const auto config = parse_node_config(node_with("{}"), ".");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->threads.instances, 1U);
    const LinkPlacement placement(*config);
    EXPECT_EQ(placement.instances(), 1U);
    EXPECT_EQ(placement.instance_of(config->outducts[2].id), 0U);
}

TEST(Threads, LinksGoToTheInstancesInTurn) {
    const auto config = parse_node_config(node_with(R"({"instances": 2})"), ".");
    ASSERT_TRUE(config) << config.error().to_string();
    const LinkPlacement placement(*config);
    EXPECT_EQ(placement.instance_of(config->inducts[0].id), 0U);
    EXPECT_EQ(placement.instance_of(config->inducts[1].id), 1U);
    EXPECT_EQ(placement.instance_of(config->outducts[0].id), 0U);
    EXPECT_EQ(placement.instance_of(config->outducts[1].id), 1U);
    EXPECT_EQ(placement.instance_of(config->outducts[2].id), 0U);
    EXPECT_LT(placement.instance_of(LinkId{100}), 2U);
}

TEST(Threads, ALinkGoesWhereItSays) {
    const auto config =
        parse_node_config(node_with(R"({"instances": 3})", R"(, "instance": 3)"), ".");
    ASSERT_TRUE(config) << config.error().to_string();
    const LinkPlacement placement(*config);
    for (const OutductConfig &outduct : config->outducts)
        EXPECT_EQ(placement.instance_of(outduct.id), 2U);
}

TEST(Threads, WhatDoesNotFitTogetherIsRefused) {
    EXPECT_NE(errors_of(node_with(R"({"instances": 5})")).find("threads.instances"),
              std::string::npos);
    const std::string links = errors_of(node_with("{}", R"(, "instance": 2)"));
    EXPECT_NE(links.find("inductsConfig[0].instance"), std::string::npos) << links;
    EXPECT_NE(links.find("outductsConfig[2].instance"), std::string::npos) << links;
    EXPECT_NE(links.find("threads.instances"), std::string::npos) << links;
    const std::string pinned =
        errors_of(node_with(R"({"instances": 2, "processors": {"egress3": 1}})"));
    EXPECT_NE(pinned.find("threads.processors.egress3"), std::string::npos) << pinned;
}

TEST(Threads, ProcessorsAreTakenByModule) {
    const auto config = parse_node_config(
        node_with(R"({"instances": 2, "processors": {"ingress": 0, "egress2": 7}})"), ".");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->threads.processors[0], 0U);
    EXPECT_EQ(config->threads.processors[8], 7U);
    EXPECT_FALSE(config->threads.processors[1]);
}

}  // namespace
}  // namespace farlink::config::threads_fields_test
