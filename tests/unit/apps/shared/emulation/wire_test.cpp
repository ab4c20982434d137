// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/emulation/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace farlink::emulation::wire_test {
namespace {

constexpr TimePoint kStart{seconds(100)};

struct Arrival {
    TimePoint at;
    Bytes octets;
    bool operator==(const Arrival &) const = default;
};

/// Lets time pass until nothing is under way.
std::vector<Arrival> run_out(Wire &wire) {
    std::vector<Arrival> arrivals;
    while (wire.next_due() != kNever) {
        const TimePoint now = wire.next_due();
        const auto pieces = wire.due(now);
        for (const ByteView &piece : pieces)
            arrivals.push_back({now, Bytes(piece.begin(), piece.end())});
        wire.sent(pieces.size());
    }
    return arrivals;
}

TEST(WireTest, HandsOnAtOnceByDefault) {
    Wire wire({}, Carries::kDatagrams, 1, kStart);
    wire.push(Bytes{1, 2, 3}, kStart + seconds(1));
    EXPECT_EQ(run_out(wire), (std::vector<Arrival>{{kStart + seconds(1), {1, 2, 3}}}));
    EXPECT_EQ(wire.counters().carried, 1U);
    EXPECT_EQ(wire.counters().carried_bytes, 3U);
}

TEST(WireTest, RateAndDelayAddUp) {
    WireProfile profile;
    profile.delay = seconds(2);
    profile.rate = BitRate{8'000};
    Wire wire(profile, Carries::kDatagrams, 1, kStart);
    for (int i = 0; i < 3; ++i) wire.push(Bytes(1'000), kStart);
    const auto arrivals = run_out(wire);
    ASSERT_EQ(arrivals.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(arrivals[i].at, kStart + seconds(3 + i));
}

TEST(WireTest, AnHourOfLightTimeIsNothingSpecial) {
    WireProfile profile;
    profile.delay = seconds(3600);
    Wire wire(profile, Carries::kDatagrams, 1, kStart);
    wire.push(Bytes(1), kStart);
    EXPECT_EQ(wire.next_due(), kStart + seconds(3600));
}

TEST(WireTest, AFullQueueLosesWhatComes) {
    WireProfile profile;
    profile.rate = BitRate{8'000};
    profile.queue_bytes = 2'500;
    Wire wire(profile, Carries::kDatagrams, 1, kStart);
    for (int i = 0; i < 10; ++i) wire.push(Bytes(1'000), kStart);
    EXPECT_EQ(wire.counters().queue_full, 7U);
    EXPECT_EQ(run_out(wire).size(), 3U);
}

TEST(WireTest, MemoryThatIsExceededIsSaid) {
    WireProfile profile;
    profile.delay = seconds(1);
    profile.memory_bytes = DelayLine::kBlockBytes;
    Wire wire(profile, Carries::kDatagrams, 1, kStart);
    for (int i = 0; i < 20; ++i) wire.push(Bytes(60'000), kStart);
    EXPECT_EQ(wire.counters().memory_full, 3U);
    EXPECT_EQ(wire.counters().most_bytes, 17U * 60'000);
    EXPECT_EQ(run_out(wire).size(), 17U);
}

TEST(WireTest, EveryDatagramIsAccountedFor) {
    WireProfile profile;
    profile.delay = milliseconds(300);
    profile.jitter = milliseconds(3);
    profile.loss = 0.05;
    profile.burst_loss = 0.05;
    profile.duplication = 0.02;
    profile.reordering = 0.03;
    profile.outages = {{seconds(2), seconds(1)}};
    Wire wire(profile, Carries::kDatagrams, 11, kStart);
    constexpr std::uint64_t kSent = 5'000;
    for (std::uint64_t i = 0; i < kSent; ++i)
        wire.push(Bytes(10), kStart + milliseconds(static_cast<int>(i)));
    const std::uint64_t arrived = run_out(wire).size();
    const WireCounters &counters = wire.counters();
    EXPECT_EQ(counters.taken, kSent);
    EXPECT_EQ(counters.carried, arrived);
    EXPECT_EQ(counters.lost_in_outages, 1'000U);
    EXPECT_GT(counters.lost, 100U);
    EXPECT_GT(counters.lost_in_bursts, 50U);
    EXPECT_GT(counters.duplicated, 30U);
    EXPECT_GT(counters.reordered, 50U);
    EXPECT_EQ(arrived + counters.lost + counters.lost_in_bursts + counters.lost_in_outages,
              kSent + counters.duplicated);
    EXPECT_EQ(wire.waiting_bytes(), 0U);
}

TEST(WireTest, ReorderedDatagramsFallBehindAndJitterDoesNot) {
    WireProfile profile;
    profile.jitter = milliseconds(50);
    Wire ordered(profile, Carries::kDatagrams, 12, kStart);
    profile.reordering = 0.2;
    Wire mixed(profile, Carries::kDatagrams, 12, kStart);
    for (int i = 0; i < 100; ++i) {
        const Bytes octets(1, static_cast<std::uint8_t>(i));
        ordered.push(octets, kStart + milliseconds(i));
        mixed.push(octets, kStart + milliseconds(i));
    }
    const auto by_number = [](const Arrival &a, const Arrival &b) { return a.octets < b.octets; };
    const auto in_order = run_out(ordered);
    const auto out_of_order = run_out(mixed);
    EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end(), by_number));
    EXPECT_FALSE(std::is_sorted(out_of_order.begin(), out_of_order.end(), by_number));
    EXPECT_EQ(out_of_order.size(), 100U);
}

TEST(WireTest, AStreamLosesNothing) {
    WireProfile profile;
    profile.delay = milliseconds(100);
    profile.rate = BitRate{8'000'000};
    profile.loss = 0.5;
    profile.queue_bytes = 10'000;
    profile.memory_bytes = DelayLine::kBlockBytes;
    profile.outages = {{milliseconds(10), seconds(1)}};
    Wire wire(profile, Carries::kStream, 13, kStart);
    std::uint64_t pushed = 0;
    TimePoint now = kStart;
    Bytes sent;
    Bytes got;
    while (pushed < 100) {
        for (; pushed < 100 && wire.has_room(now); ++pushed) {
            const Bytes octets(1'000, static_cast<std::uint8_t>(pushed));
            sent.insert(sent.end(), octets.begin(), octets.end());
            wire.push(octets, now);
        }
        now += milliseconds(1);
        const auto pieces = wire.due(now);
        for (const ByteView &piece : pieces) got.insert(got.end(), piece.begin(), piece.end());
        wire.sent(pieces.size());
    }
    for (const Arrival &arrival : run_out(wire))
        got.insert(got.end(), arrival.octets.begin(), arrival.octets.end());
    EXPECT_EQ(got, sent);
    EXPECT_GT(now, kStart + seconds(1)) << "the outage held it up";
}

TEST(WireTest, TheSameSeedGivesTheSameArrivals) {
    WireProfile profile;
    profile.delay = milliseconds(10);
    profile.jitter = milliseconds(10);
    profile.loss = 0.1;
    profile.reordering = 0.1;
    profile.bit_errors = 1e-3;
    std::array<std::vector<Arrival>, 2> arrivals;
    for (auto &run : arrivals) {
        Wire wire(profile, Carries::kDatagrams, 14, kStart);
        for (int i = 0; i < 500; ++i) wire.push(Bytes(20), kStart + milliseconds(i));
        run = run_out(wire);
    }
    EXPECT_EQ(arrivals[0], arrivals[1]);
}

}  // namespace
}  // namespace farlink::emulation::wire_test
