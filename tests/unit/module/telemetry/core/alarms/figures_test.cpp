// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/figures.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::figures_test {
namespace {

TEST(Figures, NumbersInGroups) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(4120), "4,120");
    EXPECT_EQ(grouped(1'234'567), "1,234,567");
    EXPECT_EQ(counted_in_groups(1, "bundle"), "1 bundle");
    EXPECT_EQ(counted_in_groups(2000, "bundle"), "2,000 bundles");
}

TEST(Figures, Octets) {
    EXPECT_EQ(octets_in_words(999), "999 B");
    EXPECT_EQ(octets_in_words(1000), "1.0 kB");
    EXPECT_EQ(octets_in_words(3'450'000'000), "3.4 GB");
    EXPECT_EQ(octets_in_words(~std::uint64_t{0}), "18.4 EB");
}

}  // namespace
}  // namespace farlink::telemetry::figures_test
