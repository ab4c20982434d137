// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/process/process_figures.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace farlink::process_figures_test {
namespace {

TEST(ProcessFigures, AreThoseOfThisProcess) {
    const auto before = read_process_figures();
    ASSERT_TRUE(before.has_value());
    EXPECT_GT(before->process, 0U);
    EXPECT_GE(before->threads, 1U);
    EXPECT_GT(before->resident_bytes, 100'000U);
    EXPECT_GE(before->descriptors, 3U);
    std::thread other([] {});
    const auto after = read_process_figures();
    other.join();
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(after->process, before->process);
    EXPECT_GE(after->cpu_ns, before->cpu_ns);
}

TEST(ProcessFigures, ANameWithBracketsAndSpacesIsNoField) {
    constexpr std::string_view kStat = "77 (a) (b c) R 1 22 33";
    EXPECT_EQ(stat_field(kStat, 4), 1U);
    EXPECT_EQ(stat_field(kStat, 5), 22U);
    EXPECT_EQ(stat_field(kStat, 6), 33U);
    EXPECT_EQ(stat_field(kStat, 7), 0U) << "there is none";
    EXPECT_EQ(stat_field(kStat, 3), 0U) << "a letter";
    EXPECT_EQ(stat_field("nonsense", 4), 0U);
    EXPECT_EQ(stat_field("", 4), 0U);
}

}  // namespace
}  // namespace farlink::process_figures_test
