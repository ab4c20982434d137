// SPDX-License-Identifier: Apache-2.0
#include "module/control/held_destinations.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_folder.hpp"

namespace farlink::app {
namespace {

using Nodes = std::set<NodeNumber>;

class HoldKeeperTest : public testing::Test {
protected:
    HoldKeeperTest() {
        config_.node = NodeNumber{10};
        config_.state_folder = folder_ / "state";
    }
    /// Of another run of the node.
    Nodes held() {
        HeldDestinations plan_store(config_);
        plan_store.open();
        return plan_store.held();
    }

    test::TempFolder folder_;
    config::NodeConfig config_;
};

TEST_F(HoldKeeperTest, WhatIsHeldOutlivesTheNode) {
    EXPECT_EQ(held(), Nodes{});
    HeldDestinations plan_store(config_);
    EXPECT_EQ(plan_store.write({NodeNumber{20}, NodeNumber{30}}), "");
    EXPECT_EQ(plan_store.held(), Nodes{}) << "not yet";
    const Nodes next{NodeNumber{30}, NodeNumber{~std::uint64_t{0}}};
    EXPECT_EQ(plan_store.write(next), "");
    plan_store.take(next);
    EXPECT_EQ(plan_store.held(), next);
    EXPECT_EQ(held(), next);
}

TEST_F(HoldKeeperTest, ADamagedFileAndThatOfAnotherNodeHoldNothing) {
    std::filesystem::create_directories(config_.state_folder);
    for (const char *text : {"", "{", "[]", R"({"node":10})", R"({"node":10,"held":[0]})",
                             R"({"node":10,"held":["20"]})", R"({"node":10,"held":[-1]})",
                             R"({"held":[20]})", R"({"node":11,"held":[20]})"}) {
        folder_.write("state/held-destinations.json", text);
        EXPECT_EQ(held(), Nodes{}) << text;
    }
    folder_.write("state/held-destinations.json", R"({"node":10,"held":[20,20]})");
    EXPECT_EQ(held(), Nodes{NodeNumber{20}});
}

TEST_F(HoldKeeperTest, WhatCannotBeWrittenIsNotHeld) {
    folder_.write("state", "a file where the folder is to be");
    HeldDestinations plan_store(config_);
    EXPECT_NE(plan_store.write({NodeNumber{20}}), "");
    EXPECT_EQ(plan_store.held(), Nodes{});
}

}  // namespace
}  // namespace farlink::app
