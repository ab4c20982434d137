// SPDX-License-Identifier: Apache-2.0
#include "common/base/duration_words.hpp"

#include <gtest/gtest.h>

namespace farlink::duration_words_test {
namespace {

TEST(DurationWords, TheUnitFitsTheDuration) {
    EXPECT_EQ(duration_in_words(40), "40 s");
    EXPECT_EQ(duration_in_words(720), "12 min");
    EXPECT_EQ(duration_in_words(19'800), "5.5 h");
    EXPECT_EQ(duration_in_words(31 * 86'400), "31 days");
}

TEST(DurationWords, MillisecondsAreForShortOnes) {
    EXPECT_EQ(milliseconds_in_words(250), "250 ms");
    EXPECT_EQ(milliseconds_in_words(9'999), "9999 ms");
    EXPECT_EQ(milliseconds_in_words(10'000), "10 s");
    EXPECT_EQ(milliseconds_in_words(90'000'000), "25.0 h");
}

}  // namespace
}  // namespace farlink::duration_words_test
