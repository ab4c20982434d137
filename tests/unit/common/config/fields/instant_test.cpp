// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/instant.hpp"

#include <gtest/gtest.h>

namespace farlink::config::instant_test {
namespace {

TEST(Instant, KnownMoments) {
    EXPECT_EQ(parse_utc("2000-01-01T00:00:00Z"), 0U);
    EXPECT_EQ(parse_utc("2000-01-01T00:00:01Z"), 1000U);
    EXPECT_EQ(parse_utc("2000-03-01T00:00:00Z"), 60ULL * 86'400'000);  // 2000 is a leap year
    // 2026-01-02T03:04:05Z is Unix second 1767323045.
    EXPECT_EQ(parse_utc("2026-01-02T03:04:05Z"), (1767323045 - kDtnEpochUnixSeconds) * 1000);
    EXPECT_EQ(parse_utc("9999-12-31T23:59:59.999Z"), 252455615999999U);
}

TEST(Instant, IsWrittenInFull) {
    EXPECT_EQ(format_utc(0), "2000-01-01T00:00:00.000Z");
    EXPECT_EQ(format_utc(*parse_utc("2028-02-29T23:09:58.007Z")), "2028-02-29T23:09:58.007Z");
    EXPECT_EQ(format_utc(252455615999999), "9999-12-31T23:59:59.999Z");
    EXPECT_EQ(format_utc(252455616000000), "10000-01-01T00:00:00.000Z");
}

TEST(Instant, FractionsAreWholeMilliseconds) {
    EXPECT_EQ(parse_utc("2000-01-01T00:00:00.5Z"), 500U);
    EXPECT_EQ(parse_utc("2000-01-01T00:00:00.25Z"), 250U);
    EXPECT_EQ(parse_utc("2000-01-01T00:00:00.001Z"), 1U);
    EXPECT_EQ(parse_utc("2000-01-01T00:00:00.001000000Z"), 1U);
    EXPECT_EQ(parse_utc("2000-01-01T00:00:00.0019Z"), std::nullopt);
    EXPECT_EQ(parse_utc("2000-01-01T00:00:00.000000001Z"), std::nullopt);
    EXPECT_EQ(whole_milliseconds(0.1 + 0.2), 300U);
    EXPECT_EQ(whole_milliseconds(315'359'999.999), 315'359'999'999U);
    EXPECT_EQ(whole_milliseconds(0.000'001), std::nullopt);
    EXPECT_EQ(whole_milliseconds(315'359'999.0001), std::nullopt);
}

TEST(Instant, EverythingElseIsRefused) {
    for (const std::string_view bad : {"",
                                       "Z",
                                       "2026-01-02",
                                       "2026-01-02T03:04:05",
                                       "2026-01-02 03:04:05Z",
                                       "2026-01-02T03:04:05z",
                                       "2026-01-02T03:04:05+00:00",
                                       "2026-1-2T3:4:5Z",
                                       "2026-13-01T00:00:00Z",
                                       "2026-00-01T00:00:00Z",
                                       "2026-02-29T00:00:00Z",
                                       "2026-04-31T00:00:00Z",
                                       "2026-01-02T24:00:00Z",
                                       "2026-01-02T23:60:00Z",
                                       "2026-12-31T23:59:60Z",
                                       "1999-12-31T23:59:59Z",
                                       "2026-01-02T03:04:05.Z",
                                       "2026-01-02T03:04:05.1234567890Z",
                                       "2026-01-02T03:04:05.1x3Z",
                                       "2026-01-02T03:04:05,5Z",
                                       "2026-01-02T03:04:05ZZ",
                                       "+026-01-02T03:04:05Z"})
        EXPECT_EQ(parse_utc(bad), std::nullopt) << bad;
}

TEST(Instant, FormatIsTheInverse) {
    EXPECT_EQ(format_utc(0), "2000-01-01T00:00:00.000Z");
    for (DtnTime time = 0; time < 252455615999999U; time += 86'399'999'123U)
        ASSERT_EQ(parse_utc(format_utc(time)), time);
}

}  // namespace
}  // namespace farlink::config::instant_test
