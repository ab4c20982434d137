// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/state/upstreams.hpp"

#include <gtest/gtest.h>

namespace farlink::ingress::upstreams_test {
namespace {

constexpr UpstreamId kOne{1};
constexpr UpstreamId kTwo{2};
constexpr TimePoint kNow = TimePoint{} + seconds(10);

TEST(Upstreams, IsMixedForASecondAfterItFedAnotherLane) {
    Upstreams upstreams;
    EXPECT_FALSE(upstreams.mixed(kOne, kNow));
    upstreams.feeds(kOne, 1, kNow);
    upstreams.feeds(kOne, 1, kNow);
    EXPECT_FALSE(upstreams.mixed(kOne, kNow));
    upstreams.feeds(kOne, 2, kNow);
    EXPECT_TRUE(upstreams.mixed(kOne, kNow));
    EXPECT_FALSE(upstreams.mixed(kTwo, kNow));
    EXPECT_TRUE(upstreams.mixed(kOne, kNow + milliseconds(999)));
    EXPECT_FALSE(upstreams.mixed(kOne, kNow + seconds(1)));
    upstreams.feeds(kOne, 2, kNow + seconds(2));
    EXPECT_FALSE(upstreams.mixed(kOne, kNow + seconds(2)));
}

TEST(Upstreams, IsPausedAsLongAsOneLaneHoldsIt) {
    Upstreams upstreams;
    upstreams.pause(kOne);
    upstreams.pause(kOne);
    const auto paused = upstreams.poll_order();
    ASSERT_TRUE(paused.has_value());
    EXPECT_EQ(paused->upstream, kOne);
    EXPECT_TRUE(paused->paused);
    EXPECT_FALSE(upstreams.poll_order().has_value());
    upstreams.resume(kOne);
    EXPECT_FALSE(upstreams.poll_order().has_value());
    upstreams.resume(kOne);
    const auto resumed = upstreams.poll_order();
    ASSERT_TRUE(resumed.has_value());
    EXPECT_FALSE(resumed->paused);
}

TEST(Upstreams, ResumingWhatIsNotPausedIsNothing) {
    Upstreams upstreams;
    upstreams.resume(kOne);
    upstreams.feeds(kOne, 1, kNow);
    upstreams.resume(kOne);
    EXPECT_FALSE(upstreams.poll_order().has_value());
}

TEST(Upstreams, OfADrainedNodeThoseThatCannotBeRefusedAreNotRead) {
    Upstreams upstreams;
    constexpr UpstreamId kThree{3};
    upstreams.opened(kOne, false, false);
    upstreams.opened(kTwo, true, false);
    upstreams.opened(kThree, false, true);
    upstreams.set_drained(true);
    upstreams.set_drained(true);
    const auto paused = upstreams.poll_order();
    ASSERT_TRUE(paused.has_value());
    EXPECT_EQ(paused->upstream, kOne);
    EXPECT_FALSE(upstreams.poll_order().has_value());
    EXPECT_TRUE(upstreams.rejects(kTwo));
    EXPECT_FALSE(upstreams.rejects(kNoUpstream));
    upstreams.set_drained(false);
    const auto resumed = upstreams.poll_order();
    ASSERT_TRUE(resumed.has_value());
    EXPECT_FALSE(resumed->paused);
    EXPECT_FALSE(upstreams.rejects(kTwo));
}

TEST(Upstreams, ASessionThatBeginsWhileTheNodeIsDrainedIsNotRead) {
    Upstreams upstreams;
    upstreams.set_drained(true);
    upstreams.opened(kOne, false, false);
    ASSERT_TRUE(upstreams.poll_order().has_value());
    upstreams.closed(kOne);
    upstreams.set_drained(false);
    EXPECT_FALSE(upstreams.poll_order().has_value());
}

TEST(Upstreams, WithoutAReserveThoseThatCannotBeRefusedAreNotRead) {
    Upstreams upstreams;
    upstreams.opened(kTwo, true, false);
    upstreams.set_unreserved(true);
    upstreams.set_drained(true);
    upstreams.opened(kOne, false, false);
    const auto paused = upstreams.poll_order();
    ASSERT_TRUE(paused.has_value());
    EXPECT_EQ(paused->upstream, kOne);
    upstreams.set_drained(false);
    EXPECT_FALSE(upstreams.poll_order().has_value()) << "one of two reasons is left";
    EXPECT_FALSE(upstreams.rejects(kTwo)) << "their senders keep what is not safe";
    upstreams.set_unreserved(false);
    upstreams.set_unreserved(false);
    const auto resumed = upstreams.poll_order();
    ASSERT_TRUE(resumed.has_value());
    EXPECT_FALSE(resumed->paused);
    EXPECT_FALSE(upstreams.poll_order().has_value());
}

TEST(Upstreams, ForgetsWhatIsClosed) {
    Upstreams upstreams;
    upstreams.pause(kOne);
    (void)upstreams.poll_order();
    upstreams.closed(kOne);
    upstreams.resume(kOne);
    EXPECT_FALSE(upstreams.poll_order().has_value());
    upstreams.closed(kTwo);
}

TEST(Upstreams, WhoSendsNothingAfterRefusalsIsToldOfOnce) {
    Upstreams upstreams;
    for (const UpstreamId id : {kOne, kTwo}) {
        upstreams.opened(id, true, false);
        upstreams.arrived(id, 5, kNow);
        upstreams.acknowledge(id, 0, 5, TransferDisposition::kNoResources, kNow);
    }
    EXPECT_FALSE(upstreams.poll_stalled_by_refusals(kNow + seconds(59)));
    upstreams.arrived(kTwo, 1, kNow + seconds(59));  // it goes on
    const auto stalled = upstreams.poll_stalled_by_refusals(kNow + seconds(60));
    ASSERT_TRUE(stalled);
    EXPECT_EQ(stalled->upstream, kOne);
    EXPECT_EQ(stalled->refused, 5U);
    EXPECT_FALSE(upstreams.poll_stalled_by_refusals(kNow + seconds(600)));
}

// How often it is asked, and when, changes nothing of the count.
TEST(Upstreams, AllRefusalsOfASessionCount) {
    for (const bool asked : {false, true}) {
        Upstreams upstreams;
        upstreams.opened(kOne, true, false);
        for (std::uint32_t at = 0; at < 5; ++at) {
            upstreams.arrived(kOne, 1, kNow + seconds(2 * at));
            EXPECT_FALSE(asked && upstreams.poll_stalled_by_refusals(kNow + seconds(2 * at)));
            upstreams.acknowledge(kOne, at, 1, TransferDisposition::kNoResources,
                                  kNow + seconds(2 * at + 1));
        }
        const auto stalled = upstreams.poll_stalled_by_refusals(kNow + seconds(100));
        ASSERT_TRUE(stalled);
        EXPECT_EQ(stalled->refused, 5U) << asked;
    }
}

// Its answers leave in order: the layer's refusals wait for those to the bundles that are kept.
TEST(Upstreams, BundlesAreKeptUntilTheLayerRefusesOneAndAgainWhenOneIsSafe) {
    Upstreams upstreams;
    upstreams.opened(kOne, true, false);
    upstreams.opened(kTwo, true, false);
    upstreams.defer_when_full(kOne);
    upstreams.arrived(kOne, 3, kNow);
    EXPECT_TRUE(upstreams.defers_when_full(kOne));
    upstreams.refused_unread(kOne, 2, false, kNow);
    EXPECT_TRUE(upstreams.defers_when_full(kOne)) << "its refusals do not wait";
    upstreams.refused_unread(kOne, 2, true, kNow);
    EXPECT_FALSE(upstreams.defers_when_full(kOne));
    upstreams.acknowledge(kOne, 0, 2, TransferDisposition::kNoResources, kNow);
    EXPECT_FALSE(upstreams.defers_when_full(kOne)) << "there is no room yet";
    upstreams.acknowledge(kOne, 2, 1, TransferDisposition::kSafe, kNow);
    EXPECT_TRUE(upstreams.defers_when_full(kOne));
    EXPECT_FALSE(upstreams.defers_when_full(kTwo));
    upstreams.refused_unread(UpstreamId{99}, 1, true, kNow);  // it has ended
}

TEST(Upstreams, RefusalsOfTheLayerCountForWhoSendsNothingAfterThem) {
    Upstreams upstreams;
    upstreams.opened(kOne, true, false);
    upstreams.arrived(kOne, 1, kNow);
    upstreams.refused_unread(kOne, 4, true, kNow);
    upstreams.acknowledge(kOne, 0, 1, TransferDisposition::kNoResources, kNow);
    const auto stalled = upstreams.poll_stalled_by_refusals(kNow + seconds(60));
    ASSERT_TRUE(stalled);
    EXPECT_EQ(stalled->refused, 5U);
}

}  // namespace
}  // namespace farlink::ingress::upstreams_test
