// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/retention.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::retention_test {
namespace {

constexpr std::uint64_t kDay = 24ULL * 3600 * 1000;
constexpr DtnTime kNow = 9000 * kDay;

TEST(Retention, AFileIsOutdatedWhenItsLastContentsAre) {
    const config::HistoryConfig limits;
    const auto outdated = [&](HistoryKind kind, DtnTime begin) {
        return is_outdated({kind, 1, begin}, limits, kNow);
    };
    EXPECT_FALSE(outdated(HistoryKind::kEvents, kNow - 31 * kDay));
    EXPECT_TRUE(outdated(HistoryKind::kEvents, kNow - 31 * kDay - 1));
    EXPECT_FALSE(outdated(HistoryKind::kCoarseRates, kNow - 8 * kDay));
    EXPECT_TRUE(outdated(HistoryKind::kCoarseRates, kNow - 8 * kDay - 1));
    EXPECT_FALSE(outdated(HistoryKind::kFineRates, kNow - kDay - 2 * kDay / 24));
    EXPECT_TRUE(outdated(HistoryKind::kFineRates, kNow - 2 * kDay));
    EXPECT_FALSE(outdated(HistoryKind::kEvents, kNow + kDay));
}

TEST(Retention, RoomComesFromTheOldestFileOfTheKindThatTakesMost) {
    std::vector<KeptFile> files{{{HistoryKind::kEvents, 1, kNow}, 100},
                                {{HistoryKind::kEvents, 5, kNow}, 100},
                                {{HistoryKind::kCoarseRates, 2, kNow}, 150},
                                {{HistoryKind::kCoarseRates, 4, kNow}, 150},
                                {{HistoryKind::kFineRates, 3, kNow}, 900}};
    EXPECT_EQ(next_to_delete(files), files[2].file);
    files.erase(files.begin() + 2);
    EXPECT_EQ(next_to_delete(files), files[0].file);
    files.erase(files.begin());
    EXPECT_FALSE(next_to_delete(files));  // the newest of each kind stays
    EXPECT_FALSE(next_to_delete({}));
}

}  // namespace
}  // namespace farlink::telemetry::retention_test
