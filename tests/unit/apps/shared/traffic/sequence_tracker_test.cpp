// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/sequence_tracker.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/base/random.hpp"

namespace farlink::traffic::sequence_tracker_test {
namespace {

using Verdict = SequenceTracker::Verdict;

TEST(SequenceTracker, FindsNothingWrongInARunInOrder) {
    SequenceTracker tracker;
    // Beyond two stretches, so that complete ones are folded away.
    constexpr std::uint64_t kBundles = 2 * 65536 + 100;
    for (std::uint64_t number = 0; number < kBundles; ++number)
        ASSERT_EQ(tracker.record(number), Verdict::kNew);
    EXPECT_FALSE(tracker.complete());
    tracker.note_total(kBundles - 1, kBundles);
    EXPECT_TRUE(tracker.complete());
    EXPECT_EQ(tracker.received(), kBundles);
    EXPECT_EQ(tracker.lost(), 0U);
    EXPECT_EQ(tracker.out_of_order(), 0U);
}

TEST(SequenceTracker, FindsRepeatsInOpenAndInCompleteStretches) {
    SequenceTracker tracker;
    for (std::uint64_t number = 0; number < 65536 + 10; ++number) (void)tracker.record(number);
    for (const std::uint64_t number : {0, 63, 64, 65535, 65536, 65545})
        EXPECT_EQ(tracker.record(number), Verdict::kDuplicate) << number;
    EXPECT_EQ(tracker.duplicates(), 6U);
    EXPECT_EQ(tracker.received(), 65546U);
}

TEST(SequenceTracker, CountsGapsAndTheMissingEnd) {
    SequenceTracker tracker;
    EXPECT_EQ(tracker.lost(), 0U);
    for (const std::uint64_t number : {0, 1, 5, 6}) (void)tracker.record(number);
    EXPECT_EQ(tracker.lost(), 3U);
    tracker.note_total(6, 10);
    EXPECT_EQ(tracker.lost(), 6U);
    EXPECT_FALSE(tracker.complete());
}

TEST(SequenceTracker, CountsWhatCameLate) {
    SequenceTracker tracker;
    for (const std::uint64_t number : {0, 3, 1, 2, 4}) (void)tracker.record(number);
    EXPECT_EQ(tracker.out_of_order(), 2U);
    (void)tracker.record(1);
    EXPECT_EQ(tracker.out_of_order(), 2U) << "a repeat is a repeat, not late";
}

TEST(SequenceTracker, BelievesTheLatestTotal) {
    SequenceTracker tracker;
    tracker.note_total(0, 1000);
    tracker.note_total(4, 5);
    tracker.note_total(2, 1000);  // an earlier bundle that came late
    for (std::uint64_t number = 0; number < 5; ++number) (void)tracker.record(number);
    EXPECT_TRUE(tracker.complete());
}

TEST(SequenceTracker, RefusesNumbersThatNoRunReaches) {
    SequenceTracker tracker;
    EXPECT_EQ(tracker.record(SequenceTracker::kLimit), Verdict::kBeyondLimit);
    EXPECT_EQ(tracker.record(~std::uint64_t{0}), Verdict::kBeyondLimit);
    EXPECT_EQ(tracker.received(), 0U);
    EXPECT_EQ(tracker.record(SequenceTracker::kLimit - 1), Verdict::kNew);
    EXPECT_EQ(tracker.lost(), SequenceTracker::kLimit - 1);
}

TEST(SequenceTracker, AgreesWithASet) {
    Random random(20260101);
    SequenceTracker tracker;
    std::set<std::uint64_t> seen;
    std::uint64_t duplicates = 0;
    for (int i = 0; i < 50'000; ++i) {
        const std::uint64_t number = random.below(200'000);
        const bool fresh = seen.insert(number).second;
        duplicates += fresh ? 0 : 1;
        ASSERT_EQ(tracker.record(number), fresh ? Verdict::kNew : Verdict::kDuplicate);
    }
    EXPECT_EQ(tracker.received(), seen.size());
    EXPECT_EQ(tracker.duplicates(), duplicates);
    EXPECT_EQ(tracker.lost(), *seen.rbegin() + 1 - seen.size());
}

}  // namespace
}  // namespace farlink::traffic::sequence_tracker_test
