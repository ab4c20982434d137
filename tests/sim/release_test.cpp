// SPDX-License-Identifier: Apache-2.0
// A long release from storage, with cut-through by the same link at the same time.
#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::release_test {
namespace {

constexpr NodeNumber kSinkNode{200};
constexpr Flow kStored{100, kSinkNode.value(), 1};
constexpr Flow kFresh{101, kSinkNode.value(), 2};
constexpr std::uint64_t kBundleBytes = 10'000;
/// 100 bundles a second.
constexpr BitRate kRate{8'100'000};

struct Release {
    explicit Release(NodeOptions options, std::uint64_t seed = 1) : world(seed) {
        options.number = NodeNumber{1};
        node = &world.add_node(options);
        sink = &world.add_sink();
        early = &world.add_source(*node);
        late = &world.add_source(*node);
        LinkOptions narrow;
        narrow.rate = kRate;
        narrow.window_bytes = 128 * 1024;
        link = &world.connect(*node, *sink, kSinkNode, narrow);
        link->set_wire(false);
        world.start();
    }
    /// `count` bundles wait in storage when the link comes up.
    void begin(std::uint64_t count, const Flow &flow = kStored) {
        early->send(flow, count, kBundleBytes);
        world.clock.run_for(seconds(10));
        ASSERT_EQ(node->held(), count);
        link->set_wire(true);
        world.clock.run_for(seconds(2));
    }
    [[nodiscard]] std::uint64_t arrived(const Flow &flow) { return sink->record(flow).arrived; }
    void expect_all(std::uint64_t stored, std::uint64_t fresh) {
        EXPECT_TRUE(world.run_until_quiet(seconds(300)));
        EXPECT_EQ(arrived(kStored), stored);
        EXPECT_EQ(arrived(kFresh), fresh);
        EXPECT_EQ(sink->duplicates() + sink->malformed(), 0U);
        EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
    }

    SimWorld world;
    SimNode *node = nullptr;
    SimSink *sink = nullptr;
    SimSource *early = nullptr;
    SimSource *late = nullptr;
    SimLink *link = nullptr;
};

class ReleaseShares : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(ReleaseShares, BothSidesGetTheirShareOfTheLink) {
    NodeOptions options;
    options.stored_share_percent = GetParam();
    options.max_pause = seconds(60);
    Release story(options);
    story.begin(4000);
    story.late->send(kFresh, 4000, kBundleBytes);
    story.world.clock.run_for(seconds(3));  // both queues are full now
    const std::uint64_t stored = story.arrived(kStored);
    const std::uint64_t fresh = story.arrived(kFresh);
    story.world.clock.run_for(seconds(20));
    const auto of_stored = static_cast<double>(story.arrived(kStored) - stored);
    const auto of_fresh = static_cast<double>(story.arrived(kFresh) - fresh);
    EXPECT_NEAR(of_stored / (of_stored + of_fresh), GetParam() / 100.0, 0.05);
    EXPECT_GT(of_stored + of_fresh, 1900) << "the link is never idle";
    story.expect_all(4000, 4000);
    EXPECT_EQ(story.sink->out_of_order(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Percent, ReleaseShares, ::testing::Values(10, 30, 50, 80));

// The other side uses the share that one side does not use.
TEST(Release, AShareThatIsNotUsedIsNotLost) {
    NodeOptions options;
    options.stored_share_percent = 10;
    Release story(options);
    story.begin(3000);
    story.late->send_paced(kFresh, 200, kBundleBytes, milliseconds(50));  // a fifth of the link
    story.world.clock.run_for(seconds(11));
    EXPECT_GT(story.arrived(kFresh), 190U) << "new bundles are cut through as they arrive";
    EXPECT_GT(story.arrived(kStored), 900U);
    story.expect_all(3000, 200);
    EXPECT_EQ(story.node->stored_total(), 3000U);
}

TEST(Release, NewBundlesOfItsFlowStayBehindIt) {
    Release story(NodeOptions{});
    story.begin(1000);
    story.early->send_paced(kStored, 500, kBundleBytes, milliseconds(30));
    story.late->send_paced(kFresh, 300, kBundleBytes, milliseconds(40));
    story.expect_all(1500, 300);
    EXPECT_EQ(story.sink->out_of_order(), 0U);
    EXPECT_EQ(story.node->stored_total(), 1500U)
        << "new bundles are stored behind the older ones of their flow";
    story.early->send_paced(kStored, 100, kBundleBytes, milliseconds(30));
    story.world.clock.run_for(seconds(4));
    story.expect_all(1600, 300);
    EXPECT_EQ(story.node->stored_total(), 1500U)
        << "new bundles are cut through when the flow is empty";
}

TEST(Release, NewBundlesOfItsFlowGoFirstWhereThatIsConfigured) {
    NodeOptions options;
    options.overtake_stored = true;
    Release story(options);
    story.begin(2000);
    story.early->send_paced(kStored, 100, kBundleBytes, milliseconds(30));
    story.world.clock.run_for(seconds(5));
    EXPECT_GT(story.sink->out_of_order(), 0U) << "older bundles arrive after new ones";
    story.expect_all(2100, 0);
    EXPECT_EQ(story.node->stored_total(), 2000U);
}

TEST(Release, AHigherPriorityGoesFirstOnEitherSide) {
    const Flow bulk{100, kSinkNode.value(), 1, Priority::kBulk};
    const Flow urgent{101, kSinkNode.value(), 3, Priority::kExpedited};
    Release story(NodeOptions{});
    story.begin(2000, bulk);
    story.late->send_paced(urgent, 400, kBundleBytes, milliseconds(11));
    story.world.clock.run_for(seconds(5));
    EXPECT_GT(story.arrived(urgent), 380U) << "nearly all of the link";
    EXPECT_TRUE(story.world.run_until_quiet(seconds(300)));
    EXPECT_EQ(story.arrived(bulk), 2000U);
    EXPECT_EQ(story.arrived(urgent), 400U);
    EXPECT_EQ(story.sink->out_of_order(), 0U);
}

TEST(Release, StoredBundlesOfAHigherPriorityOvertakeCutThroughBundles) {
    const Flow urgent{100, kSinkNode.value(), 1, Priority::kExpedited};
    NodeOptions options;
    options.max_pause = seconds(60);
    Release story(options);
    story.late->send(kFresh, 0, kBundleBytes);
    story.begin(1000, urgent);
    story.late->send(kFresh, 1000, kBundleBytes);
    story.world.clock.run_for(seconds(9));
    EXPECT_GT(story.arrived(urgent), 950U);
    EXPECT_TRUE(story.world.run_until_quiet(seconds(300)));
    EXPECT_EQ(story.arrived(kFresh), 1000U);
}

}  // namespace
}  // namespace farlink::sim::release_test
