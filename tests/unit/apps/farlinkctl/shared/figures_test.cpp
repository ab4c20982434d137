// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/figures.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::figures_test {
namespace {

TEST(Figures, ThreeDigitsAndAPrefix) {
    EXPECT_EQ(short_number(0), "0");
    EXPECT_EQ(short_number(999), "999");
    EXPECT_EQ(short_number(999.6), "1.00k") << "not 1000";
    EXPECT_EQ(short_number(1234), "1.23k");
    EXPECT_EQ(short_number(45'600'000), "45.6M");
    EXPECT_EQ(short_number(99'960), "100k");
    EXPECT_EQ(short_number(1.8e19), "18.0E");
    EXPECT_EQ(short_number(1e24), "1000000E") << "there is no prefix above";
    EXPECT_EQ(octets_text(512), "512 B");
    EXPECT_EQ(octets_text(1.5e9), "1.50 GB");
}

TEST(Figures, ADurationHasTwoUnits) {
    EXPECT_EQ(duration_text(-1), "0 s");
    EXPECT_EQ(duration_text(59.9), "59 s");
    EXPECT_EQ(duration_text(184), "3 min 4 s");
    EXPECT_EQ(duration_text(7'500), "2 h 5 min");
    EXPECT_EQ(duration_text(4 * 86'400 + 6 * 3'600), "4 d 6 h");
}

TEST(Figures, WhatAPeerSaysCannotSteerATerminal) {
    EXPECT_EQ(printable("a\x1b[31m\n\tb\x7f"), "a?[31m??b?");
    EXPECT_EQ(printable("\u009b31m"), "?31m") << "CSI as one character";
    EXPECT_EQ(printable("Örsted \u00a0"), "Örsted \u00a0");
}

TEST(Figures, TextIsCutByCharacters) {
    EXPECT_EQ(columns_of("Örsted"), 6U);
    EXPECT_EQ(cut("Örsted", 6), "Örsted");
    EXPECT_EQ(cut("Örsted", 5), "Örst~");
    EXPECT_EQ(cut("ÖÖÖ", 2), "Ö~");
    EXPECT_EQ(cut("abc", 1), "~");
    EXPECT_EQ(cut("abc", 0), "");
}

TEST(Figures, ALineOfBarsIsAsWideAsItMayBe) {
    EXPECT_EQ(sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 8, false), "_.:-=+*#");
    EXPECT_EQ(sparkline({0, 7}, 8, true), "▁█");
    EXPECT_EQ(sparkline({0, 0, 7, 7}, 2, false), "_#") << "means";
    EXPECT_EQ(sparkline({-1, 5, -1}, 3, false), " # ") << "not known";
    EXPECT_EQ(sparkline({0, 0}, 2, false), "__");
    EXPECT_EQ(sparkline({-1, -1}, 2, false), "  ");
    EXPECT_EQ(sparkline({}, 5, true), "");
}

}  // namespace
}  // namespace farlink::ctl::figures_test
