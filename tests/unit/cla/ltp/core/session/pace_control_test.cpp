// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/pace_control.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp::pace_control_test {
namespace {

constexpr std::uint64_t kSegment = 1'000;
constexpr Duration kRound = milliseconds(400);
/// A report on data sent after the last change of the rate.
constexpr Duration kLater = 2 * kRound;
constexpr ReportedGaps kClean{1'000'000, 0, 0};
constexpr ReportedGaps kBurstLost{1'000'000, 500'000, 500'000};

struct LtpPaceControl : testing::Test {
    /// A report on data sent a round before.
    void report(const ReportedGaps &gaps, Duration later = Duration{}) {
        at += later;
        pace.handle_report(gaps, kSegment, at - kRound, at);
    }
    /// Reports until the condition holds, one a round; returns their number.
    int rise_until(BitRate rate, const ReportedGaps &gaps) {
        int rounds = 0;
        for (; pace.rate() != rate && rounds < 1000; ++rounds) report(gaps, kLater);
        return rounds;
    }
    /// The pace is unlimited.
    void begin_freely() {
        rise_until(BitRate{}, kMuch);
        ASSERT_EQ(pace.rate(), BitRate{});
        at += kRound;
    }
    static constexpr ReportedGaps kMuch{2'000'000'000, 0, 0};

    PaceControl pace;
    TimePoint at{seconds(100)};
};

TEST_F(LtpPaceControl, TheFirstBurstIsBounded) {
    EXPECT_EQ(pace.rate(), PaceControl::kFirst);
    EXPECT_LE(pace.asks_after(), 65'000U) << "half of the kernel's default buffer";
}

TEST_F(LtpPaceControl, ACleanLinkSoonHasNoRate) {
    EXPECT_LE(rise_until(BitRate{}, kMuch), 9) << "twice as fast after each round";
    for (int i = 0; i < 100; ++i) report(kClean, milliseconds(10));
    EXPECT_EQ(pace.rate(), BitRate{});
}

TEST_F(LtpPaceControl, ReportsOnDataOfAnEarlierRateDoNotCount) {
    report(kMuch, kLater);
    const BitRate second = pace.rate();
    EXPECT_EQ(second.value(), 2 * PaceControl::kFirst.value());
    for (int i = 0; i < 100; ++i) report(kMuch, kRound / 200);
    EXPECT_EQ(pace.rate(), second);
}

TEST_F(LtpPaceControl, SingleLostDatagramsDoNotLowerTheRate) {
    // Every fourth datagram, and now and then some in a row.
    EXPECT_LE(rise_until(BitRate{}, {2'000'000'000, 500'000'000, 15'000}), 9);
    for (int i = 0; i < 100; ++i) report({1'000'000, 250'000, 15'000}, milliseconds(10));
    EXPECT_EQ(pace.rate(), BitRate{});
}

TEST_F(LtpPaceControl, MoreLossAtAHigherRateIsTooMuch) {
    report(kMuch, kLater);
    report({2'000'000'000, 600'000'000, 1'000}, kLater);
    const std::uint64_t fallen = pace.rate().value();
    EXPECT_LT(fallen, 2 * PaceControl::kFirst.value() / 10 * 7) << "below the received rate";
    EXPECT_GT(fallen, PaceControl::kFirst.value());
    report(kMuch, kLater);
    EXPECT_EQ(pace.rate().value(), fallen + fallen / 4) << "no longer twice";
}

// As rain on a radio link.
TEST_F(LtpPaceControl, LossThatALowerRateDoesNotReduceIsIgnored) {
    report(kMuch, kLater);
    report(kMuch, kLater);
    const BitRate reached = pace.rate();
    constexpr ReportedGaps kRain{2'000'000'000, 600'000'000, 1'000};
    report(kRain, kLater);
    EXPECT_LT(pace.rate(), reached);
    report(kRain, kLater);
    EXPECT_EQ(pace.rate(), reached);
    report(kRain, kLater);
    EXPECT_GT(pace.rate(), reached);
}

TEST_F(LtpPaceControl, BlocksWithoutAnyReportCountAsLost) {
    report(kMuch, kLater);
    for (int i = 0; i < 10; ++i) report({1'000, 0, 0}, kRound);
    for (int i = 0; i < 10; ++i) pace.handle_unanswered(at, at);
    EXPECT_EQ(pace.rate().value(), 2 * PaceControl::kFirst.value());
    for (int i = 0; i < 20; ++i) pace.handle_unanswered(at, at);
    EXPECT_LT(pace.rate(), PaceControl::kFirst);
}

TEST_F(LtpPaceControl, AnOutageDoesNotChangeTheRate) {
    for (int i = 0; i < 1000; ++i) pace.handle_unanswered(at, at);
    EXPECT_EQ(pace.rate(), PaceControl::kFirst);
}

TEST_F(LtpPaceControl, LargeGapsHalveTheRateOnceARound) {
    begin_freely();
    report(kBurstLost);
    EXPECT_EQ(pace.rate(), PaceControl::kAgain);
    for (int i = 0; i < 10; ++i) report(kBurstLost, milliseconds(10));
    EXPECT_EQ(pace.rate(), PaceControl::kAgain) << "of what was sent before";
    report(kBurstLost, kRound);
    EXPECT_EQ(pace.rate().value(), PaceControl::kAgain.value() / 2);
    for (int i = 0; i < 100; ++i) report(kBurstLost, kRound);
    EXPECT_EQ(pace.rate(), PaceControl::kLeast);
}

TEST_F(LtpPaceControl, ManySmallGapsCountWhenMostIsLost) {
    begin_freely();
    report({1'000'000, 600'000, 9'000});
    EXPECT_EQ(pace.rate(), PaceControl::kAgain);
}

TEST_F(LtpPaceControl, TheRateRisesAsFarAsItIsUsed) {
    for (int i = 0; i < 10; ++i) report({1'000, 0, 0}, kLater);
    EXPECT_EQ(pace.rate(), PaceControl::kFirst) << "hardly used";
    begin_freely();
    report(kBurstLost);
    for (int i = 0; i < 100; ++i) report({1'000, 0, 0}, kLater);
    EXPECT_EQ(pace.rate(), PaceControl::kAgain) << "hardly used";
    EXPECT_LT(rise_until(BitRate{}, kMuch), 30);
}

TEST_F(LtpPaceControl, TheRateRisesSlowlyNearTheLastLimit) {
    begin_freely();
    report(kBurstLost);
    report(kBurstLost, kRound);
    std::uint64_t before = pace.rate().value();
    int steps = 0;
    while (pace.rate() < PaceControl::kAgain && steps < 1000) {
        before = pace.rate().value();
        report(kMuch, kLater);
        ++steps;
    }
    EXPECT_LT(pace.rate().value() - before, before / 30);
}

TEST_F(LtpPaceControl, GapsOfAReportAreFound) {
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

/// Octets that are sent for `blocks` blocks of `size`, all of which arrive.
std::uint64_t sent_for(test::LtpPair &pair, std::uint64_t blocks, std::size_t size) {
    for (std::uint64_t number = 1; number <= blocks; ++number)
        EXPECT_TRUE(
            pair.a.send(number, test::numbered_block(number, size), ~std::uint64_t{0}, pair.now));
    pair.run(kNever);
    EXPECT_EQ(pair.a.delivered.size(), blocks);
    EXPECT_TRUE(pair.a.cancelled.empty());
    return pair.a.engine.counters(pair.a.peer).bytes_sent;
}

TEST(LtpPace, ASmallBufferAtTheReceiverIsSurvived) {
    struct Case {
        std::uint64_t blocks;
        std::size_t size;
        std::uint64_t rate;  ///< at which the receiver reads
    };
    for (const auto &[blocks, size, rate] :
         {Case{1, 1'000'000, 200'000'000}, Case{1, 10'000'000, 200'000'000},
          Case{10, 1'000'000, 200'000'000}, Case{1, 10'000'000, 50'000'000},
          Case{1, 10'000'000, 1'000'000'000}, Case{10, 10'000'000, 200'000'000},
          Case{1'000, 10'000, 200'000'000}}) {
        test::LtpPair::Settings settings = small_buffer();
        settings.to_b.rate = BitRate{rate};
        test::LtpPair pair(settings);
        const TimePoint begin = pair.now;
        const std::uint64_t sent = sent_for(pair, blocks, size);
        // A small block that is lost whole has no report until its timer fires.
        const std::uint64_t most = size < 50'000 ? 2 * blocks * size : blocks * size / 2 * 3;
        EXPECT_LT(sent, most) << blocks << " of " << size << " at " << rate;
        const auto least = std::chrono::duration<double>(static_cast<double>(blocks * size) * 8 /
                                                         static_cast<double>(rate));
        EXPECT_LT(pair.now - begin, 4 * least + seconds(3))
            << blocks << " of " << size << " at " << rate;
        EXPECT_TRUE(pair.idle());
    }
}

/// Segments that leave in each millisecond while blocks are sent over a clean link.
std::vector<std::uint64_t> segments_by_step(BitRate published) {
    test::LtpPair::Settings settings;
    settings.to_b.delay = settings.to_a.delay = milliseconds(1);
    settings.link.timing = {Duration{}, milliseconds(200)};
    settings.link.rate = published;
    settings.rate_bytes_per_ms = 250'000;  // a sender of 2 Gbit/s
    test::LtpPair pair(settings);
    for (std::uint64_t number = 1; number <= 8; ++number)
        EXPECT_TRUE(pair.a.send(number, test::numbered_block(number, 10'000'000), ~std::uint64_t{0},
                                pair.now));
    std::vector<std::uint64_t> steps;
    std::uint64_t before = 0;
    while (pair.a.delivered.size() < 8 && steps.size() < 10'000) {
        pair.run(pair.now + milliseconds(1));
        const std::uint64_t sent = pair.a.engine.counters(pair.a.peer).segments_sent;
        steps.push_back(sent - std::exchange(before, sent));
    }
    return steps;
}

TEST(LtpPace, ACleanLinkKeepsItsRate) {
    const auto paced = segments_by_step(BitRate{});
    const auto published = segments_by_step(BitRate{2'000'000'000});
    // After a fifth of a second each step sends as much as with a configured rate.
    ASSERT_GT(paced.size(), 250U);
    for (std::size_t step = 200; step < 250; ++step)
        EXPECT_NEAR(static_cast<double>(paced[step]), static_cast<double>(published[step]), 10)
            << step;
    EXPECT_LT(paced.size(), published.size() + 150);
}

TEST(LtpPace, AConfiguredRateOverridesThePace) {
    test::LtpPair::Settings settings = small_buffer();
    settings.link.rate = BitRate{1'000'000'000};
    test::LtpPair pair(settings);
    ASSERT_TRUE(pair.a.send(1, test::numbered_block(1, 1'000'000), ~std::uint64_t{0}, pair.now));
    pair.run(pair.now + seconds(1));
    EXPECT_EQ(pair.a.engine.pace(pair.a.peer), BitRate{});
}

}  // namespace
}  // namespace farlink::cla::ltp::pace_control_test
