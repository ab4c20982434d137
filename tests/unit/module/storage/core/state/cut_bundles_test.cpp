// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/cut_bundles.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::cut_bundles_test {
namespace {

TEST(CutBundles, KnowsWhatHasLeft) {
    CutBundles cut;
    EXPECT_TRUE(cut.empty());
    EXPECT_EQ(cut.sent(7), 0U);
    cut.set_sent(7, 100);
    cut.set_sent(7, 200);
    EXPECT_EQ(cut.sent(7), 200U);
    EXPECT_EQ(cut.sent(8), 0U);
    std::uint64_t sum = 0;
    cut.for_each_sent([&](std::uint64_t bundle, std::uint64_t bytes) { sum += bundle + bytes; });
    EXPECT_EQ(sum, 207U);
    cut.forget(7);
    EXPECT_TRUE(cut.empty());
}

TEST(CutBundles, ABundleIsJudgedOnce) {
    CutBundles cut;
    EXPECT_FALSE(cut.is_to_be_judged(7)) << "it is not too large";
    EXPECT_TRUE(cut.may_leave_in_parts(7));
    EXPECT_TRUE(cut.is_to_be_judged(7));
    cut.judge(7, false);
    EXPECT_FALSE(cut.is_to_be_judged(7));
    EXPECT_FALSE(cut.may_leave_in_parts(7));
    EXPECT_TRUE(cut.may_leave_in_parts(8));
    cut.judge(8, true);
    EXPECT_TRUE(cut.may_leave_in_parts(8));
    EXPECT_FALSE(cut.is_to_be_judged(8));
    cut.for_each_sent([](std::uint64_t, std::uint64_t) { FAIL() << "nothing has left"; });
}

}  // namespace
}  // namespace farlink::storage::cut_bundles_test
