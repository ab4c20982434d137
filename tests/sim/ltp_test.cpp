// SPDX-License-Identifier: Apache-2.0
// Two LTP engines over a bad link, on a virtual clock: every block is delivered once, and no
// session is left behind. FARLINK_LTP_SEEDS sets how many links are tried.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp {
namespace {

using test::DatagramWeather;
using test::LtpPair;
using test::LtpSide;
using test::numbered_block;

constexpr std::uint64_t kAll = BlockRequest::kAllRed;

std::uint64_t seeds() {
    const char *const wanted = std::getenv("FARLINK_LTP_SEEDS");
    return wanted == nullptr ? 500 : std::strtoull(wanted, nullptr, 10);
}

DatagramWeather weather_of(Random &random, Duration delay) {
    DatagramWeather weather;
    weather.delay = delay;
    if (random.chance(1, 2)) weather.jitter = microseconds(100 + random.below(20'000));
    if (random.chance(2, 3)) weather.loss_per_mille = static_cast<unsigned>(random.below(250));
    if (random.chance(1, 3)) weather.bursts_per_mille = static_cast<unsigned>(random.below(20));
    if (random.chance(1, 3)) weather.copies_per_mille = static_cast<unsigned>(random.below(200));
    if (random.chance(1, 3)) weather.late_per_mille = static_cast<unsigned>(random.below(100));
    return weather;
}

LtpPair::Settings settings_of(std::uint64_t seed) {
    Random random(seed);
    LtpPair::Settings settings;
    settings.seed = seed;
    const Duration delay = milliseconds(random.below(3) == 0 ? 0 : random.below(2000));
    settings.to_b = weather_of(random, delay);
    settings.to_a = weather_of(random, delay);
    settings.link.timing = {delay, milliseconds(100)};
    settings.link.data_mtu = static_cast<std::uint32_t>(128 + random.below(1500));
    settings.link.report_mtu = static_cast<std::uint32_t>(128 + random.below(300));
    settings.link.checkpoint_every = random.chance(1, 2) ? 0 : 1 + random.below(20);
    settings.link.reorder_delay = milliseconds(random.below(30));
    // So many that chance alone never ends a session.
    settings.link.retries = 60;
    settings.rate_bytes_per_ms = random.chance(1, 2) ? 0 : 200 + random.below(20'000);
    if (random.chance(1, 4)) {
        const TimePoint begin = TimePoint(seconds(1000)) + milliseconds(random.below(3000));
        settings.to_b.outage_begin = settings.to_a.outage_begin = begin;
        settings.to_b.outage_end = settings.to_a.outage_end =
            begin + milliseconds(random.below(4000));
    }
    return settings;
}

/// Everything that was sent arrives once, and its sender hears of it once.
void expect_all_once(const LtpSide &from, const LtpSide &to, std::uint64_t blocks) {
    EXPECT_EQ(to.received.size(), blocks);
    EXPECT_EQ(from.delivered.size(), blocks);
    EXPECT_TRUE(from.cancelled.empty());
    for (const auto &[number, times] : to.received) EXPECT_EQ(times, 1) << "block " << number;
    for (const auto &[number, times] : from.delivered) EXPECT_EQ(times, 1) << "block " << number;
    EXPECT_TRUE(from.sent.empty());
}

void check_octets(const Bytes &octets, const ReceivedBlock &) {
    const auto number = load_be<std::uint64_t>(octets.data());
    FARLINK_INVARIANT(octets == numbered_block(number, octets.size()));
}

void play(std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 1'000'000);
    LtpPair pair(settings_of(seed));
    pair.a.check = pair.b.check = check_octets;
    const std::uint64_t blocks = 1 + random.below(12);
    const bool both = random.chance(1, 2);
    for (std::uint64_t number = 0; number < blocks; ++number) {
        const std::size_t size = 8 + random.below(random.chance(1, 3) ? 60'000 : 3000);
        ASSERT_TRUE(pair.a.send(number, numbered_block(number, size), kAll, pair.now));
        if (both) {
            ASSERT_TRUE(pair.b.send(number, numbered_block(number, size), kAll, pair.now));
        }
        if (random.chance(1, 2)) pair.run(pair.now + milliseconds(random.below(50)));
        if (random.chance(1, 20)) {
            pair.contact(false);
            pair.run(pair.now + seconds(1 + static_cast<int>(random.below(100))));
            pair.contact(true);
        }
    }
    pair.run(kNever);
    EXPECT_TRUE(pair.idle());
    expect_all_once(pair.a, pair.b, blocks);
    expect_all_once(pair.b, pair.a, both ? blocks : 0);
    EXPECT_EQ(pair.a.slabs.pinned_bytes() + pair.b.slabs.pinned_bytes(), 0U);
}

TEST(LtpSim, EveryBlockArrivesOnceOverBadLinks) {
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        play(seed);
        if (HasFailure()) {
            ADD_FAILURE() << "repeat with seed " << seed;
            return;
        }
    }
}

}  // namespace
}  // namespace farlink::cla::ltp
