// SPDX-License-Identifier: Apache-2.0
// Two LTP engines over a link with losses, on a virtual clock: every block is delivered once, and
// every session ends. FARLINK_LTP_SEEDS sets the number of links.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "tests/support/ltp_large_blocks.hpp"
#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp::ltp_test {
namespace {

using emulation::WireProfile;
using test::LtpPair;
using test::LtpSide;
using test::numbered_block;

constexpr std::uint64_t kAll = BlockRequest::kAllRed;

std::uint64_t seeds() {
    const char *const wanted = std::getenv("FARLINK_LTP_SEEDS");
    return wanted == nullptr ? 500 : std::strtoull(wanted, nullptr, 10);
}

double per_mille(Random &random, std::uint64_t below) {
    return static_cast<double>(random.below(below)) / 1000;
}

WireProfile bad_link(Random &random, Duration delay) {
    WireProfile wire;
    wire.delay = delay;
    if (random.chance(1, 2)) wire.jitter = microseconds(100 + random.below(20'000));
    if (random.chance(2, 3)) wire.loss = per_mille(random, 250);
    if (random.chance(1, 3)) wire.burst_loss = per_mille(random, 80);
    if (random.chance(1, 3)) wire.duplication = per_mille(random, 200);
    if (random.chance(1, 2)) wire.reordering = per_mille(random, 500);
    wire.reordering_delay = microseconds(100 + random.below(40'000));
    return wire;
}

void add_outage(LtpPair::Settings &settings, Duration begin, Duration length) {
    settings.to_b.outages = settings.to_a.outages = {{begin, length}};
}

LtpPair::Settings settings_of(std::uint64_t seed) {
    Random random(seed);
    LtpPair::Settings settings;
    settings.seed = seed;
    const Duration delay = milliseconds(random.below(3) == 0 ? 0 : random.below(2000));
    settings.to_b = bad_link(random, delay);
    settings.to_a = bad_link(random, delay);
    settings.link.timing = {delay, milliseconds(100)};
    settings.link.data_mtu = static_cast<std::uint32_t>(128 + random.below(1500));
    settings.link.report_mtu = static_cast<std::uint32_t>(128 + random.below(300));
    settings.link.checkpoint_every = random.chance(1, 2) ? 0 : 1 + random.below(20);
    settings.link.reorder_delay = milliseconds(random.below(30));
    // High enough that losses by chance never end a session.
    settings.link.retries = 60;
    settings.rate_bytes_per_ms = random.chance(1, 2) ? 0 : 200 + random.below(20'000);
    if (random.chance(1, 4)) {
        const Duration begin = milliseconds(random.below(3000));
        add_outage(settings, begin, milliseconds(random.below(4000)));
    }
    return settings;
}

/// Every block arrives once, and its sender is notified once.
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

void play(std::uint64_t seed, std::uint64_t *lost) {
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
    for (const emulation::Wire *wire : {&pair.to_a, &pair.to_b}) {
        const emulation::WireCounters &counters = wire->counters();
        *lost += counters.lost + counters.lost_in_bursts + counters.lost_in_outages;
    }
}

TEST(LtpSim, EveryBlockArrivesOnceOverBadLinks) {
    std::uint64_t lost = 0;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        play(seed, &lost);
        if (HasFailure()) {
            ADD_FAILURE() << "repeat with seed " << seed;
            return;
        }
    }
    EXPECT_GT(lost, 10 * seeds()) << "the links lose too few segments";
}

/// The receiver restarts, or its sender gets another address, while blocks are in flight.
void play_with_other_receivers(std::uint64_t seed, std::uint64_t *delivered,
                               std::uint64_t *cancelled) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 2'000'000);
    LtpPair::Settings settings = settings_of(seed);
    settings.link.retries = 20;
    LtpPair pair(settings);
    pair.b.check = check_octets;
    const std::uint64_t blocks = 1 + random.below(8);
    for (std::uint64_t number = 0; number < blocks; ++number) {
        const std::size_t size = 8 + random.below(random.chance(1, 3) ? 60'000 : 6000);
        ASSERT_TRUE(pair.a.send(number, numbered_block(number, size), kAll, pair.now));
    }
    const auto round_trip = static_cast<std::uint64_t>(
        std::chrono::duration_cast<milliseconds>(settings.link.timing.answer_within()).count());
    const std::uint64_t changes = 1 + random.below(3);
    for (std::uint64_t change = 0; change < changes; ++change) {
        pair.run(pair.now + milliseconds(random.below(round_trip)));
        random.chance(2, 3) ? pair.restart_b() : pair.rebind_a();
    }
    pair.run(kNever);
    EXPECT_TRUE(pair.idle());
    EXPECT_EQ(pair.a.delivered.size() + pair.a.cancelled.size(), blocks);
    for (const auto &[number, times] : pair.a.delivered)
        EXPECT_GE(pair.b.received[number], 1) << "block " << number << " of " << blocks;
    *delivered += pair.a.delivered.size();
    *cancelled += pair.a.cancelled.size();
}

TEST(LtpSim, OnlyBlocksThatOneReceiverHasCompletelyAreDelivered) {
    std::uint64_t delivered = 0;
    std::uint64_t cancelled = 0;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        play_with_other_receivers(seed, &delivered, &cancelled);
        if (HasFailure()) {
            ADD_FAILURE() << "repeat with seed " << seed;
            return;
        }
    }
    RecordProperty("delivered", static_cast<int>(delivered));
    RecordProperty("cancelled", static_cast<int>(cancelled));
    EXPECT_GT(delivered, 20 * cancelled) << "most blocks survive the restart";
}

TEST(LtpSim, FortyMinutesRoundTripWithLosses) {
    LtpPair::Settings settings;
    settings.link.timing = {seconds(1200), seconds(10)};
    settings.link.retries = 10;
    settings.to_b.delay = settings.to_a.delay = seconds(1200);
    settings.to_b.loss = settings.to_a.loss = 0.1;
    LtpPair pair(settings);
    pair.a.check = check_octets;
    constexpr std::uint64_t kBlocks = 100;
    for (std::uint64_t number = 0; number < kBlocks; ++number)
        ASSERT_TRUE(pair.a.send(number, numbered_block(number, 100'000), kAll, pair.now));
    const TimePoint begin = pair.now;
    pair.run(kNever);
    EXPECT_TRUE(pair.idle());
    expect_all_once(pair.a, pair.b, kBlocks);
    EXPECT_GT(pair.now - begin, seconds(2400));
    EXPECT_LT(pair.now - begin, seconds(2400 * 12));
}

/// The outage begins when all segments are in flight, and ends just before, or after, the last
/// retransmission of a checkpoint.
LtpPair::Settings outage_settings(Duration shift) {
    LtpPair::Settings settings;
    settings.link.timing = {seconds(10), seconds(8)};
    settings.link.retries = 50;
    settings.to_b.delay = settings.to_a.delay = seconds(10);
    add_outage(settings, {}, outage_survived(settings.link.timing, settings.link.retries) + shift);
    return settings;
}

TEST(LtpSim, SessionsSurviveAnOutageOfTheLengthThatTheFormulaGives) {
    ASSERT_EQ(outage_survived({seconds(10), seconds(8)}, 50), std::chrono::minutes(30));
    LtpPair pair(outage_settings(-milliseconds(100)));
    constexpr std::uint64_t kBlocks = 20;
    for (std::uint64_t number = 0; number < kBlocks; ++number)
        ASSERT_TRUE(pair.a.send(number, numbered_block(number, 10'000), kAll, pair.now));
    pair.run(kNever);
    EXPECT_TRUE(pair.idle());
    expect_all_once(pair.a, pair.b, kBlocks);
}

TEST(LtpSim, ALongerOutageEndsTheSessions) {
    LtpPair pair(outage_settings(seconds(2)));
    ASSERT_TRUE(pair.a.send(1, numbered_block(1, 10'000), kAll, pair.now));
    pair.run(kNever);
    EXPECT_TRUE(pair.idle());
    EXPECT_EQ(pair.a.cancelled[1], 1);
    ASSERT_EQ(pair.a.events.size(), 1U);
    EXPECT_EQ(pair.a.events[0].reason, CancelReason::kRetransmitLimit);
    EXPECT_TRUE(pair.b.received.empty());
}

TEST(LtpSim, AClosedContactUsesNoRetries) {
    LtpPair::Settings settings;
    settings.link.timing = {seconds(5), seconds(1)};
    settings.link.retries = 1;
    settings.to_b.delay = settings.to_a.delay = seconds(5);
    LtpPair pair(settings);
    ASSERT_TRUE(pair.a.send(1, numbered_block(1, 50'000), kAll, pair.now));
    pair.run(pair.now + seconds(1));
    pair.contact(false);
    pair.run(pair.now + std::chrono::hours(10));
    EXPECT_TRUE(pair.a.delivered.empty());
    pair.contact(true);
    pair.run(kNever);
    EXPECT_TRUE(pair.idle());
    expect_all_once(pair.a, pair.b, 1);
    EXPECT_EQ(pair.a.engine.counters(pair.a.peer).segments_repeated, 0U);
}

TEST(LtpSim, GreenAndMixedBlocksArrive) {
    LtpPair::Settings settings;
    settings.to_b.reordering = 0.5;
    LtpPair pair(settings);
    pair.a.check = pair.b.check = check_octets;
    ASSERT_TRUE(pair.a.send(1, numbered_block(1, 50'000), 0, pair.now));
    ASSERT_TRUE(pair.a.send(2, numbered_block(2, 50'000), 20'000, pair.now));
    pair.run(kNever);
    EXPECT_TRUE(pair.idle());
    expect_all_once(pair.a, pair.b, 2);
}

TEST(LtpSim, ReorderingAloneCausesFewRepetitions) {
    LtpPair::Settings settings;
    settings.to_b.delay = settings.to_a.delay = milliseconds(100);
    settings.to_b.reordering = 0.3;
    settings.to_b.reordering_delay = milliseconds(4);
    settings.rate_bytes_per_ms = 10'000;
    LtpPair pair(settings);
    constexpr std::uint64_t kBlocks = 200;
    for (std::uint64_t number = 0; number < kBlocks; ++number)
        ASSERT_TRUE(pair.a.send(number, numbered_block(number, 20'000), kAll, pair.now));
    pair.run(kNever);
    expect_all_once(pair.a, pair.b, kBlocks);
    const Counters &counters = pair.a.engine.counters(pair.a.peer);
    EXPECT_LT(counters.segments_repeated, counters.segments_sent / 50);
}

/// Blocks that neither side has as a whole.
LtpPair::Settings settings_of_parts(std::uint64_t seed) {
    LtpPair::Settings settings = settings_of(seed);
    Random random(seed + 3'000'000);
    settings.link.spool_above = 5000 + random.below(20'000);
    settings.link.part_bytes = 2000 + random.below(10'000);
    settings.link.max_block_bytes = settings.link.spool_above;
    return settings;
}

std::uint64_t seeds_of_parts() {
    return std::max<std::uint64_t>(seeds() / 5, 1);
}

void play_parts(std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 4'000'000);
    const LtpPair::Settings settings = settings_of_parts(seed);
    LtpPair pair(settings);
    pair.b.check = check_octets;
    test::LargeBlocks large(pair.a, 1000 + random.below(30'000));
    constexpr std::uint64_t kLarge = 3;
    const std::uint64_t small = random.below(5);
    for (std::uint64_t number = 0; number < kLarge; ++number)
        large.send(number, 30'000 + random.below(150'000), pair.now);
    for (std::uint64_t number = 100; number < 100 + small; ++number) {
        ASSERT_TRUE(pair.a.send(number, numbered_block(number, 3000), kAll, pair.now));
        pair.run(pair.now + milliseconds(random.below(50)));
    }
    pair.run(kNever);
    EXPECT_TRUE(pair.idle());
    EXPECT_EQ(large.delivered(), kLarge);
    EXPECT_EQ(pair.b.received.size(), kLarge + small);
    for (const auto &[number, times] : pair.b.received) EXPECT_EQ(times, 1) << number;
    EXPECT_LE(pair.b.largest_part, std::max(settings.link.spool_above, settings.link.part_bytes));
    EXPECT_TRUE(pair.b.parts.empty());
    EXPECT_EQ(pair.a.slabs.pinned_bytes() + pair.b.slabs.pinned_bytes(), 0U);
}

TEST(LtpSim, LargeBlocksPassInPartsOverBadLinks) {
    for (std::uint64_t seed = 1; seed <= seeds_of_parts(); ++seed) {
        play_parts(seed);
        if (HasFailure()) {
            ADD_FAILURE() << "repeat with seed " << seed;
            return;
        }
    }
}

// What a receiver had in front of its end is not here any more, so the block is cancelled.
TEST(LtpSim, LargeBlocksAreDeliveredOnlyIfOneReceiverHasAllOfThem) {
    std::size_t delivered = 0;
    std::size_t cancelled = 0;
    for (std::uint64_t seed = 1; seed <= seeds_of_parts(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed + 5'000'000);
        LtpPair::Settings settings = settings_of_parts(seed);
        settings.link.retries = 20;
        LtpPair pair(settings);
        pair.b.check = check_octets;
        test::LargeBlocks large(pair.a, 10'000);
        constexpr std::uint64_t kLarge = 3;
        for (std::uint64_t number = 0; number < kLarge; ++number)
            large.send(number, 30'000 + random.below(100'000), pair.now);
        const auto round_trip = static_cast<std::uint64_t>(
            std::chrono::duration_cast<milliseconds>(settings.link.timing.answer_within()).count());
        pair.run(pair.now + milliseconds(random.below(3 * round_trip)));
        random.chance(2, 3) ? pair.restart_b() : pair.rebind_a();
        pair.run(kNever);
        EXPECT_TRUE(pair.idle());
        EXPECT_EQ(large.delivered() + large.cancelled(), kLarge);
        for (const std::uint64_t number : large.delivered_blocks())
            EXPECT_GE(pair.b.received[number], 1) << "block " << number;
        delivered += large.delivered();
        cancelled += large.cancelled();
        if (HasFailure()) return;
    }
    if (seeds_of_parts() < 50) return;
    EXPECT_GT(delivered, 0U);
    EXPECT_GT(cancelled, 0U);
}

// Segments behind a gap find no memory, and are sent again.
TEST(LtpSim, ALargeBlockPassesWithLittleMemory) {
    LtpPair::Settings settings;
    settings.link.spool_above = 20'000;
    settings.link.part_bytes = 20'000;
    settings.link.retries = 60;
    settings.to_b.delay = settings.to_a.delay = milliseconds(50);
    settings.to_b.loss = 0.02;
    settings.rate_bytes_per_ms = 1000;
    settings.receive_bytes_of_b = 60'000;
    LtpPair pair(settings);
    pair.b.check = check_octets;
    test::LargeBlocks large(pair.a, 50'000);
    large.send(1, 2'000'000, pair.now);
    pair.run(kNever);
    EXPECT_TRUE(pair.idle());
    EXPECT_EQ(large.delivered(), 1U);
    EXPECT_GT(pair.b.engine.counters(pair.b.peer).no_memory, 0U);
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_test
