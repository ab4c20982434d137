// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "common/config/contact_plan.hpp"
#include "common/config/load_node_config.hpp"
#include "common/config/reference.hpp"
#include "common/config/text_file.hpp"

namespace farlink::config {
namespace {

const std::filesystem::path kConfigFolder = FARLINK_SOURCE_DIR "/config";

TEST(Examples, EveryConfigurationAndItsContactPlanLoad) {
    std::size_t examples = 0;
    for (const auto &entry : std::filesystem::directory_iterator(kConfigFolder / "examples")) {
        const auto config = load_node_config(entry.path().string());
        ASSERT_TRUE(config) << config.error().to_string();
        if (!config->contact_plan_file.empty()) {
            const auto plan = load_contact_plan(config->contact_plan_file);
            EXPECT_TRUE(plan) << plan.error().to_string();
        }
        ++examples;
    }
    EXPECT_GE(examples, 2U);
}

TEST(Examples, EveryContactPlanLoads) {
    for (const auto &entry : std::filesystem::directory_iterator(kConfigFolder / "contact_plans")) {
        const auto plan = load_contact_plan(entry.path().string());
        EXPECT_TRUE(plan) << plan.error().to_string();
    }
}

TEST(Examples, TheMinimalOneIsShortAndTheOneOfTheGuide) {
    const auto text = read_text_file((kConfigFolder / "examples/minimal.json").string());
    ASSERT_TRUE(text);
    EXPECT_LT(std::ranges::count(*text, '\n'), 15);
    EXPECT_EQ(*text, minimal_config());
}

TEST(Examples, TheGatewaysLinkGoesUpDownUp) {
    const auto config = load_node_config((kConfigFolder / "examples/gateway.json").string());
    ASSERT_TRUE(config);
    const auto plan = load_contact_plan(config->contact_plan_file);
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->contacts.size(), 2U);
    for (const PlanContact &contact : plan->contacts) {
        EXPECT_EQ(contact.source, config->node);
        EXPECT_EQ(contact.destination, config->outducts.at(0).next_hop);
    }
    EXPECT_LT(plan->contacts[0].end, plan->contacts[1].start);
}

}  // namespace
}  // namespace farlink::config
