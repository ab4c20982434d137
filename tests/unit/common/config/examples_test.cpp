// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "common/config/fields/ip_address.hpp"
#include "common/config/fields/text_file.hpp"
#include "common/config/node/load_node_config.hpp"
#include "common/config/reference/reference.hpp"
#include "common/plan/contact_plan.hpp"
#include "tests/support/build_folders.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::config::examples_test {
namespace {

const std::filesystem::path kConfigFolder = FARLINK_SOURCE_DIR "/config";

/// A copy of the configurations, with the certificates that everybody makes for himself.
class Examples : public testing::Test {
protected:
    Examples() {
        std::filesystem::copy(kConfigFolder, folder_.path(),
                              std::filesystem::copy_options::recursive);
        std::filesystem::create_directory(folder_ / "examples/certs");
        for (const char *name : {"ca.pem", "ipn-10.pem", "ipn-10.key"})
            folder_.write("examples/certs/" + std::string(name), "PEM\n");
    }

    [[nodiscard]] NodeConfig load(const std::string &name) const {
        auto config = load_node_config(folder_ / ("examples/" + name));
        if (config) return std::move(*config);
        ADD_FAILURE() << config.error().to_string();
        return {};
    }

    test::TempFolder folder_;
};

TEST_F(Examples, EveryConfigurationAndItsContactPlanLoad) {
    const std::filesystem::path folder = kConfigFolder / "examples";
    std::size_t examples = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::filesystem::path stem = entry.path().stem();
        if (entry.path().extension() != ".json" || stem == "plan" || stem == "network") continue;
        const NodeConfig config = load(std::filesystem::relative(entry.path(), folder).string());
        if (!config.contact_plan_file.empty()) {
            const auto plan = load_contact_plan(config.contact_plan_file);
            EXPECT_TRUE(plan) << plan.error().to_string();
        }
        ++examples;
    }
    EXPECT_GE(examples, 9U);
}

TEST_F(Examples, TheGatewaysLinksAreProtected) {
    const NodeConfig config = load("gateway_tls.json");
    std::vector<const LinkOptions *> links;
    for (const InductConfig &induct : config.inducts) links.push_back(&induct);
    for (const OutductConfig &outduct : config.outducts) links.push_back(&outduct);
    EXPECT_EQ(links.size(), 2U);
    for (const LinkOptions *link : links) {
        EXPECT_EQ(link->tls.mode, TlsMode::kRequired);
        EXPECT_FALSE(link->tls.insecure);
        EXPECT_EQ(link->node_id, "ipn:10.0");
    }
}

TEST_F(Examples, TheInductListsTheCaller) {
    const NodeConfig caller = load("both_ways_caller.json");
    const NodeConfig listener = load("both_ways_listener.json");
    ASSERT_EQ(caller.outducts.size(), 1U);
    ASSERT_EQ(listener.inducts.size(), 1U);
    EXPECT_TRUE(caller.inducts.empty());
    EXPECT_TRUE(listener.outducts.empty());
    EXPECT_EQ(caller.outducts[0].next_hop, listener.node);
    EXPECT_EQ(caller.outducts[0].url.port, listener.inducts[0].url.port);
    ASSERT_EQ(listener.inducts[0].neighbours.size(), 1U);
    EXPECT_EQ(listener.inducts[0].neighbours[0].node, caller.node);
    EXPECT_TRUE(address_matches(listener.inducts[0].neighbours[0].address, "127.0.0.1"));
}

TEST_F(Examples, EveryContactPlanLoads) {
    for (const auto &entry : std::filesystem::directory_iterator(kConfigFolder / "contact_plans")) {
        const auto plan = load_contact_plan(entry.path().string());
        EXPECT_TRUE(plan) << plan.error().to_string();
    }
}

TEST_F(Examples, TheMinimalOneIsShortAndTheOneOfTheGuide) {
    const auto text = read_text_file((kConfigFolder / "examples/minimal.json").string());
    ASSERT_TRUE(text);
    EXPECT_LT(std::ranges::count(*text, '\n'), 15);
    EXPECT_EQ(*text, minimal_config());
}

TEST_F(Examples, TheGatewaysLinkGoesUpDownUp) {
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
}  // namespace farlink::config::examples_test
