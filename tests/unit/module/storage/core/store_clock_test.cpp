// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/store_clock.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::store_clock_test {
namespace {

constexpr DtnTime kNow = 800'000'000'000;

struct StoreClockTest : testing::Test {
    [[nodiscard]] std::uint64_t value(StorageCounter counter) const {
        return context.counters.value(counter);
    }

    StorageContext context{config::StorageConfig{}, {TimePoint{}, kNow}};
    StoreClock clock{context};
};

TEST_F(StoreClockTest, AStepSuspendsExpiryUntilItIsConfirmed) {
    clock.judge_start(kNow - 1000);
    EXPECT_EQ(clock.state(), ClockState::kTrusted);
    clock.handle_reading({TimePoint{} + seconds(1), kNow + 3'600'000});
    EXPECT_EQ(clock.state(), ClockState::kSteppedForward);
    EXPECT_EQ(value(StorageCounter::kClockSteps), 1U);
    EXPECT_EQ(value(StorageCounter::kExpirySuspended), 1U);
    clock.confirm();
    EXPECT_EQ(clock.state(), ClockState::kTrusted);
    EXPECT_EQ(value(StorageCounter::kExpirySuspended), 0U);
}

TEST_F(StoreClockTest, AClockInDoubtIsDoubtedByEveryModule) {
    EXPECT_EQ(clock.newest_seen(kNow), kNow);
    clock.doubt();
    EXPECT_EQ(clock.newest_seen(kNow), kDtnNever);
    clock.judge_start(kNow - 1000);
    EXPECT_EQ(clock.state(), ClockState::kUnset);
    EXPECT_EQ(value(StorageCounter::kExpirySuspended), 1U);
    clock.confirm();
    EXPECT_EQ(clock.newest_seen(kNow), kNow);
}

}  // namespace
}  // namespace farlink::storage::store_clock_test
