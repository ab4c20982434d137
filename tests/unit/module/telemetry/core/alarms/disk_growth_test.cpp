// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/disk_growth.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace farlink::telemetry::disk_growth_test {
namespace {

constexpr std::uint64_t kPerSecond = 100'000;

/// One disk of 1 GB, and its growth.
class OneDisk {
public:
    explicit OneDisk(std::uint64_t used_bytes) { disk().used_bytes = used_bytes; }

    DiskFacts &disk() { return disks_[0]; }
    void fill(int seconds_of_growth) {
        for (int i = 0; i < seconds_of_growth; ++i) {
            disk().used_bytes += kPerSecond;
            pass();
        }
    }
    void pass(int seconds_passed = 1) {
        for (int i = 0; i < seconds_passed; ++i) {
            now_ += seconds(1);
            found_.clear();
            growth_.find(disks_, config_, now_, found_);
        }
    }
    [[nodiscard]] bool fills() const { return !found_.empty(); }

private:
    std::vector<DiskFacts> disks_{{"/disk/a", 0, 1'000'000'000}};
    config::AlarmsConfig config_;
    TimePoint now_{};
    DiskGrowth growth_;
    std::vector<Condition> found_;
};

TEST(DiskGrowth, HasNoRateBeforeAMinuteOfSamples) {
    OneDisk one(0);
    one.fill(50);
    EXPECT_FALSE(one.fills());
    one.fill(20);
    EXPECT_TRUE(one.fills());
}

TEST(DiskGrowth, EndsWhenTheStoreIsEmptiedAndTheLastLogFileStays) {
    OneDisk one(1'000'000);
    one.fill(200);
    EXPECT_TRUE(one.fills());
    one.disk().used_bytes = 3'000'000;
    one.pass();
    EXPECT_FALSE(one.fills());
    one.pass(600);
    EXPECT_FALSE(one.fills());
}

TEST(DiskGrowth, MeasuresAnewAfterTheStoreWasEmptied) {
    OneDisk one(0);
    one.fill(200);
    one.disk().used_bytes = 0;
    one.fill(50);
    EXPECT_FALSE(one.fills());
    one.fill(50);
    EXPECT_TRUE(one.fills());
}

TEST(DiskGrowth, GoesOnWhenACompactionFreesAPart) {
    OneDisk one(0);
    one.fill(120);
    for (int minute = 0; minute < 5; ++minute) {
        one.disk().used_bytes -= 2'000'000;
        one.pass();
        EXPECT_TRUE(one.fills()) << minute;
        one.fill(59);
        EXPECT_TRUE(one.fills()) << minute;
    }
}

TEST(DiskGrowth, ADiskThatFillsTooSlowlyForTheLimitIsNotFound) {
    OneDisk one(0);
    for (int i = 0; i < 100; ++i) {
        one.disk().used_bytes += 100;  // full in 115 days
        one.pass();
    }
    EXPECT_FALSE(one.fills());
}

}  // namespace
}  // namespace farlink::telemetry::disk_growth_test
