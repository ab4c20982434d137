// SPDX-License-Identifier: Apache-2.0
#include "module/storage/storage_notices.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::storage::storage_notices_test {
namespace {

TEST(StorageNotices, AConfirmationNamesTheBundlesThatExpireThereby) {
    test::SimDirectory directory;
    test::Rig rig(directory);
    rig.store({test::bundle_numbered(1), test::bundle_numbered(2), test::bundle_numbered(3)});
    Logger log("storage");
    std::deque<StorageDisk> disks;
    StorageNotices notices(log, rig.core(), disks);
    constexpr DtnTime kCenturyMs = 3'155'760'000'000;
    rig.core().clock().handle_reading({rig.now, test::RigOptions{}.wall_ms + kCenturyMs});
    EXPECT_EQ(rig.core().clock().state(), ClockState::kSteppedForward);
    EXPECT_EQ(rig.core().figures().overdue(), 0U) << "until the clock is confirmed";
    rig.core().handle(bus::ClockConfirm{}, rig.now);
    testing::internal::CaptureStderr();
    notices.log_confirmation(rig.core().figures().overdue());
    const std::string line = testing::internal::GetCapturedStderr();
    EXPECT_NE(line.find("clock confirmed: 3 of 3 stored bundles have expired by it"),
              std::string::npos)
        << line;
}

}  // namespace
}  // namespace farlink::storage::storage_notices_test
