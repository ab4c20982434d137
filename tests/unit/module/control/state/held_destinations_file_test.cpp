// SPDX-License-Identifier: Apache-2.0
#include "module/control/state/held_destinations_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/config/node/node_config.hpp"

#include "tests/support/temp_folder.hpp"

namespace farlink::control::held_destinations_file_test {
namespace {

using Nodes = HeldDestinations::Nodes;

class HeldDestinationsFileTest : public testing::Test {
protected:
    HeldDestinationsFileTest() {
        config_.node = NodeNumber{10};
        config_.state_folder = folder_ / "state";
    }
    [[nodiscard]] HeldDestinationsFile file() const { return {config_.node, config_.state_folder}; }
    /// In another run of the node.
    [[nodiscard]] Nodes held() const { return file().read(); }

    test::TempFolder folder_;
    config::NodeConfig config_;
};

TEST_F(HeldDestinationsFileTest, TheyOutliveTheNode) {
    EXPECT_EQ(held(), Nodes{});
    EXPECT_EQ(file().write({NodeNumber{20}, NodeNumber{30}}), "");
    const Nodes next{NodeNumber{30}, NodeNumber{~std::uint64_t{0}}};
    EXPECT_EQ(file().write(next), "");
    EXPECT_EQ(held(), next);
}

TEST_F(HeldDestinationsFileTest, ADamagedFileAndThatOfAnotherNodeHoldNothing) {
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

TEST_F(HeldDestinationsFileTest, AWriteThatFailsGivesAnError) {
    folder_.write("state", "a file where the folder is to be");
    EXPECT_NE(file().write({NodeNumber{20}}), "");
}

}  // namespace
}  // namespace farlink::control::held_destinations_file_test
