// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/files/quiet_files.hpp"

#include <gtest/gtest.h>

namespace farlink::files::quiet_files_test {
namespace {

using std::chrono::milliseconds;

TEST(QuietFiles, AChangeBeginsTheTimeAnew) {
    QuietFiles files(milliseconds(100));
    const QuietFiles::TimePoint begin{};
    EXPECT_FALSE(files.is_quiet("a", {1, 1, 1}, begin));
    EXPECT_FALSE(files.is_quiet("a", {1, 1, 1}, begin + milliseconds(99)));
    EXPECT_FALSE(files.is_quiet("a", {2, 1, 1}, begin + milliseconds(150)));
    EXPECT_FALSE(files.is_quiet("a", {2, 1, 1}, begin + milliseconds(240)));
    EXPECT_TRUE(files.is_quiet("a", {2, 1, 1}, begin + milliseconds(250)));
    EXPECT_EQ(files.size(), 0U);
    EXPECT_TRUE(QuietFiles(milliseconds(0)).is_quiet("a", {1, 1, 1}, begin));
}

}  // namespace
}  // namespace farlink::files::quiet_files_test
