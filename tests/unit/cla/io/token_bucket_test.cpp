// SPDX-License-Identifier: Apache-2.0
#include "cla/io/token_bucket.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "common/base/random.hpp"

namespace farlink::cla::token_bucket_test {
namespace {

constexpr BitRate kMegabit{1'000'000};
constexpr TimePoint kStart{seconds(5)};

TEST(TokenBucket, HoldsOneMillisecondOfItsRateAtFirst) {
    const TokenBucket bucket(kMegabit);
    EXPECT_EQ(bucket.available(kStart), 125U);
    EXPECT_EQ(bucket.available(kStart + seconds(3600)), 125U);
}

TEST(TokenBucket, IsUnlimitedAtRateZero) {
    TokenBucket bucket;
    bucket.take(1'000'000'000, kStart);
    EXPECT_EQ(bucket.available(kStart), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(bucket.next_available(kStart), kStart);
}

TEST(TokenBucket, FillsWithTime) {
    TokenBucket bucket(kMegabit);
    bucket.take(125, kStart);
    EXPECT_EQ(bucket.available(kStart), 0U);
    EXPECT_EQ(bucket.available(kStart + microseconds(7)), 0U);
    EXPECT_EQ(bucket.available(kStart + microseconds(8)), 1U);
    EXPECT_EQ(bucket.available(kStart + microseconds(800)), 100U);
}

TEST(TokenBucket, ABundleAboveItsDepthIsPaidForAfterwards) {
    TokenBucket bucket(kMegabit);
    bucket.take(125 + 1000, kStart);
    EXPECT_EQ(bucket.available(kStart + milliseconds(8)), 0U);
    EXPECT_EQ(bucket.available(kStart + milliseconds(8) + microseconds(8)), 1U);
}

TEST(TokenBucket, WakesUpWhenHalfFull) {
    TokenBucket bucket(kMegabit);
    EXPECT_EQ(bucket.next_available(kStart), kStart);
    bucket.take(125, kStart);
    EXPECT_EQ(bucket.next_available(kStart), kStart + microseconds(500));
    bucket.take(125, kStart);
    EXPECT_EQ(bucket.next_available(kStart), kStart + microseconds(1500));
    EXPECT_EQ(bucket.available(kStart + microseconds(1500)), 62U);
}

TEST(TokenBucket, WorksBelowOneByteAMillisecond) {
    TokenBucket bucket(BitRate{1});
    EXPECT_EQ(bucket.available(kStart), 1U);
    bucket.take(1, kStart);
    const TimePoint next = bucket.next_available(kStart);
    EXPECT_EQ(next, kStart + seconds(8));
    EXPECT_EQ(bucket.available(next - nanoseconds(1)), 0U);
    EXPECT_EQ(bucket.available(next), 1U);
}

TEST(TokenBucket, NextAvailableIsWhenSomethingIsThere) {
    Random random(7);
    for (int round = 0; round < 2000; ++round) {
        const BitRate rate{1 + random.below(std::uint64_t{1} << (1 + random.below(39)))};
        TokenBucket bucket(rate);
        bucket.take(random.below(10'000'000), kStart);
        const TimePoint next = bucket.next_available(kStart);
        EXPECT_GT(bucket.available(next), 0U) << rate.value();
    }
}

// Whatever the steps of time and the sizes of bundles, the sum is what the rate allows.
TEST(TokenBucket, DoesNotDrift) {
    constexpr BitRate kOddRate{333'333'333};
    TokenBucket bucket(kOddRate);
    Random random(11);
    TimePoint now = kStart;
    std::uint64_t taken = 0;
    while (now < kStart + seconds(100)) {
        if (bucket.available(now) > 0) {
            const std::uint64_t size = 1 + random.below(1'000'000);
            bucket.take(size, now);
            taken += size;
        }
        now = std::max(now + nanoseconds(1), bucket.next_available(now));
    }
    const std::uint64_t allowed = kOddRate.value() * 100 / 8;
    EXPECT_NEAR(static_cast<double>(taken), static_cast<double>(allowed), 2'100'000.0);
}

TEST(TokenBucket, AChangeOfRateKeepsWhatIsOwed) {
    TokenBucket bucket(kMegabit);
    bucket.take(125 + 1000, kStart);
    bucket.set_rate(BitRate{2'000'000}, kStart + milliseconds(4));
    EXPECT_EQ(bucket.rate(), BitRate{2'000'000});
    EXPECT_EQ(bucket.available(kStart + milliseconds(6)), 0U);
    EXPECT_EQ(bucket.available(kStart + milliseconds(6) + microseconds(4)), 1U);
}

TEST(TokenBucket, BeginsFullWhenALimitIsSet) {
    TokenBucket bucket;
    bucket.take(1'000'000, kStart);
    bucket.set_rate(kMegabit, kStart);
    EXPECT_EQ(bucket.available(kStart), 125U);
    bucket.set_rate(BitRate{8'000}, kStart);
    EXPECT_EQ(bucket.available(kStart), 1U);
}

TEST(TokenBucket, AFlowThatWasWokenLateCatchesUp) {
    TokenBucket bucket(kMegabit);
    bucket.take(125, kStart);
    const TimePoint late = kStart + milliseconds(5);
    EXPECT_EQ(bucket.available(late), 125U);
    bucket.catch_up(late);
    EXPECT_EQ(bucket.available(late), 625U);
    EXPECT_EQ(bucket.next_available(late), late);
    // While it catches up, it loses nothing; what it does not take, it does not keep.
    bucket.take(300, late + microseconds(800));
    EXPECT_EQ(bucket.available(late + microseconds(800)), 425U);
    EXPECT_EQ(bucket.available(late + milliseconds(10)), 125U);
}

TEST(TokenBucket, AFlowThatIsBusyBeforeItSendsLosesNothing) {
    TokenBucket bucket(kMegabit);
    bucket.take(125, kStart);
    const TimePoint woken = kStart + microseconds(500);
    bucket.catch_up(woken);
    EXPECT_EQ(bucket.available(woken), 62U);
    // Others had their turn first.
    const TimePoint sends = woken + milliseconds(4);
    EXPECT_EQ(bucket.available(sends), 562U);
    bucket.take(562, sends);
    EXPECT_EQ(bucket.available(sends + milliseconds(4)), 500U);
    EXPECT_EQ(bucket.available(sends + milliseconds(6)), 125U);
}

TEST(TokenBucket, NobodyCatchesUpForEver) {
    TokenBucket bucket(kMegabit);
    bucket.take(125, kStart);
    bucket.catch_up(kStart + seconds(60));
    EXPECT_EQ(bucket.available(kStart + seconds(60)), 1'250U);
    TokenBucket slow(BitRate{1});
    slow.take(1, kStart);
    slow.catch_up(kStart + seconds(60));
    EXPECT_EQ(slow.available(kStart + seconds(60)), 1U);
}

// Late by up to nine milliseconds at each step, it still sends what the rate allows.
TEST(TokenBucket, LateWakeUpsDoNotLowerTheRate) {
    TokenBucket bucket(kMegabit);
    Random random(3);
    TimePoint now = kStart;
    std::uint64_t taken = 0;
    while (now < kStart + seconds(100)) {
        while (bucket.available(now) > 0) {
            bucket.take(50, now);
            taken += 50;
            now += microseconds(100);
        }
        now = bucket.next_available(now) +
              nanoseconds(static_cast<std::int64_t>(random.below(9'000'000)));
        bucket.catch_up(now);
    }
    EXPECT_NEAR(static_cast<double>(taken), 12'500'000.0, 1'500.0);
}

TEST(TokenBucket, ExtremesDoNotOverflow) {
    TokenBucket bucket(BitRate{std::numeric_limits<std::uint64_t>::max()});
    EXPECT_GT(bucket.available(TimePoint::max()), 0U);
    bucket.take(std::numeric_limits<std::uint64_t>::max(), kStart);
    EXPECT_GT(bucket.next_available(kStart), kStart);
    TokenBucket slow(BitRate{1});
    slow.take(std::numeric_limits<std::uint64_t>::max(), kStart);
    EXPECT_EQ(slow.next_available(kStart), kNever);
    EXPECT_EQ(slow.available(kStart - seconds(1)), 0U);
}

}  // namespace
}  // namespace farlink::cla::token_bucket_test
