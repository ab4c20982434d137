// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/pace_control.hpp"

#include <gtest/gtest.h>

#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp {
namespace {

constexpr std::uint64_t kSegment = 1'000;
constexpr Duration kRound = milliseconds(400);
constexpr ReportedGaps kClean{1'000'000, 0, 0};
constexpr ReportedGaps kBurstLost{1'000'000, 500'000, 500'000};

struct LtpPaceControl : testing::Test {
    void report(const ReportedGaps &gaps, Duration later = Duration{}) {
        at += later;
        pace.handle_report(gaps, kSegment, kRound, at);
    }
    PaceControl pace;
    TimePoint at{seconds(100)};
};

TEST_F(LtpPaceControl, ACleanLinkHasNoRate) {
    for (int i = 0; i < 100; ++i) report(kClean, milliseconds(10));
    EXPECT_EQ(pace.rate(), BitRate{});
}

TEST_F(LtpPaceControl, LostDatagramsAreNoLostBursts) {
    // Every fourth datagram, and now and then some in a row.
    for (int i = 0; i < 100; ++i) report({1'000'000, 250'000, 15'000}, milliseconds(10));
    EXPECT_EQ(pace.rate(), BitRate{});
}

TEST_F(LtpPaceControl, LargeGapsHalveTheRateOnceARound) {
    report(kBurstLost);
    EXPECT_EQ(pace.rate(), PaceControl::kFirst);
    for (int i = 0; i < 10; ++i) report(kBurstLost, milliseconds(10));
    EXPECT_EQ(pace.rate(), PaceControl::kFirst) << "of what was sent before";
    report(kBurstLost, kRound);
    EXPECT_EQ(pace.rate().value(), PaceControl::kFirst.value() / 2);
    for (int i = 0; i < 100; ++i) report(kBurstLost, kRound);
    EXPECT_EQ(pace.rate(), PaceControl::kLeast);
}

TEST_F(LtpPaceControl, ManySmallGapsCountWhenTheyAreMostOfIt) {
    report({1'000'000, 600'000, 9'000});
    EXPECT_EQ(pace.rate(), PaceControl::kFirst);
}

TEST_F(LtpPaceControl, TheRateRisesAsFarAsItIsUsed) {
    report(kBurstLost);
    for (int i = 0; i < 100; ++i) report({1'000, 0, 0}, milliseconds(200));
    EXPECT_EQ(pace.rate(), PaceControl::kFirst) << "hardly used";
    int steps = 0;
    while (pace.rate() != BitRate{} && steps < 1000) {
        report({2'000'000'000, 0, 0}, PaceControl::kStep);
        ++steps;
    }
    EXPECT_LT(steps, 30) << "three seconds";
}

TEST_F(LtpPaceControl, NearTheRateThatWasTooMuchItRisesSlowly) {
    report(kBurstLost);
    report(kBurstLost, kRound);
    std::uint64_t before = pace.rate().value();
    int steps = 0;
    while (pace.rate().value() < PaceControl::kFirst.value() && steps < 1000) {
        before = pace.rate().value();
        report({2'000'000'000, 0, 0}, kRound);
        ++steps;
    }
    EXPECT_LT(pace.rate().value() - before, before / 30);
}

TEST_F(LtpPaceControl, AReportTellsItsGaps) {
    Bytes claims(100);
    std::uint8_t *to = encode_claim(claims.data(), {1'100, 1'200}, 1'000);
    to = encode_claim(to, {1'500, 1'600}, 1'000);
    claims.resize(static_cast<std::size_t>(to - claims.data()));
    const ReportedGaps gaps = gaps_of({1, 1, 2'000, 1'000, 2, claims});
    EXPECT_EQ(gaps.octets, 1'000U);
    EXPECT_EQ(gaps.missing, 800U);
    EXPECT_EQ(gaps.largest, 400U);
}

/// A receiver with a buffer of 130 kB that reads 200 Mbit/s, and blocks of a megabyte.
test::LtpPair::Settings small_buffer() {
    test::LtpPair::Settings settings;
    settings.to_b.rate = BitRate{200'000'000};
    settings.to_b.queue_bytes = 130'000;
    settings.to_b.delay = settings.to_a.delay = milliseconds(1);
    settings.link.timing = {Duration{}, milliseconds(200)};
    return settings;
}

TEST(LtpPace, ASmallBufferAtTheReceiverIsSurvived) {
    test::LtpPair pair(small_buffer());
    const TimePoint begin = pair.now;
    for (std::uint64_t number = 1; number <= 10; ++number)
        ASSERT_TRUE(pair.a.send(number, test::numbered_block(number, 1'000'000), ~std::uint64_t{0},
                                pair.now));
    pair.run(kNever);
    EXPECT_EQ(pair.a.delivered.size(), 10U);
    EXPECT_TRUE(pair.a.cancelled.empty());
    EXPECT_LT(pair.a.engine.counters(pair.a.peer).bytes_sent, 40'000'000U);
    EXPECT_LT(pair.now - begin, seconds(20));
}

TEST(LtpPace, ARateThatWasToldOverridesIt) {
    test::LtpPair::Settings settings = small_buffer();
    settings.link.rate = BitRate{1'000'000'000};
    test::LtpPair pair(settings);
    ASSERT_TRUE(pair.a.send(1, test::numbered_block(1, 1'000'000), ~std::uint64_t{0}, pair.now));
    pair.run(pair.now + seconds(1));
    EXPECT_EQ(pair.a.engine.pace(pair.a.peer), BitRate{});
}

}  // namespace
}  // namespace farlink::cla::ltp
