// SPDX-License-Identifier: Apache-2.0
// What the log states of a disk, second by second.
#include "module/storage/disk_notice.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::disk_notice_test {
namespace {

constexpr auto kNone = DiskTrouble::kNone;
constexpr auto kFull = DiskTrouble::kFull;
constexpr auto kFailing = DiskTrouble::kFailing;

class DiskNotices : public testing::Test {
protected:
    /// A second passes; true when the log has a line.
    bool pass(DiskTrouble trouble, bool accepted) {
        now += seconds(1);
        return notice.look(trouble, accepted, now).has_value();
    }

    DiskNotice notice;
    TimePoint now{};
};

TEST_F(DiskNotices, AFullDiskIsOverOnceBundlesAreAccepted) {
    EXPECT_TRUE(pass(kFull, false));
    EXPECT_FALSE(pass(kFull, false));
    for (int second = 0; second < 60; ++second)
        EXPECT_FALSE(pass(kNone, false)) << "it has space, and no bundle is accepted";
    EXPECT_TRUE(pass(kNone, true));
    EXPECT_FALSE(pass(kNone, true)) << "once";
}

TEST_F(DiskNotices, TheEndIsStatedAtOnce) {
    EXPECT_TRUE(pass(kFull, false));
    EXPECT_TRUE(pass(kNone, true)) << "not after the time between two lines";
}

TEST_F(DiskNotices, ADiskThatIsFullNowAndThenHasFewLines) {
    int lines = 0;
    for (int second = 0; second < 60; ++second)
        lines += pass(second % 2 == 0 ? kFull : kNone, true);
    EXPECT_LE(lines, 14);
}

TEST_F(DiskNotices, WritesThatSucceedEndAFailure) {
    EXPECT_TRUE(pass(kFailing, false));
    EXPECT_TRUE(pass(kNone, false));
}

}  // namespace
}  // namespace farlink::storage::disk_notice_test
