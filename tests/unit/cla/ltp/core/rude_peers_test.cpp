// SPDX-License-Identifier: Apache-2.0
// Engines with peers that deviate from the standard: numbers cut to 32 bits, octets behind reports,
// slow disks.
#include <gtest/gtest.h>

#include "tests/support/ltp_pair.hpp"
#include "tests/support/rude_ltp.hpp"

namespace farlink::cla::ltp::rude_peers_test {
namespace {

using test::LtpPair;
using test::numbered_block;

struct LtpRudePeers : testing::Test {
    void send_ten(test::LtpSide &side) {
        for (std::uint64_t number = 1; number <= 10; ++number)
            ASSERT_TRUE(
                side.send(number, numbered_block(number, 5'000), ~std::uint64_t{0}, pair->now));
    }
    static int events(const test::LtpSide &side, EventType type) {
        return static_cast<int>(std::ranges::count(side.events, type, &Event::type));
    }
    /// Each block has arrived once, and its sender was notified.
    static void expect_all_once(const test::LtpSide &from, const test::LtpSide &to) {
        for (std::uint64_t number = 1; number <= 10; ++number) {
            EXPECT_EQ(to.received.contains(number) ? to.received.at(number) : 0, 1);
            EXPECT_EQ(from.delivered.contains(number) ? from.delivered.at(number) : 0, 1);
        }
        EXPECT_TRUE(from.cancelled.empty());
        for (const Event &event : from.events)
            EXPECT_NE(event.type, EventType::kCancelled)
                << event.token << " for reason " << static_cast<int>(event.reason);
        for (const Event &event : from.events)
            EXPECT_NE(event.type, EventType::kCancelledByPeer)
                << event.token << " for reason " << static_cast<int>(event.reason);
    }
    void begin() { pair.emplace(settings); }

    LtpPair::Settings settings;
    std::optional<LtpPair> pair;
};

TEST_F(LtpRudePeers, NumbersThatThePeerCutsLoseNoBlock) {
    settings.numbers_of_a = NumberSize::k64Bits;
    settings.to_b.loss = 0.1;
    begin();
    pair->b_reads = test::with_cut_numbers;
    send_ten(pair->a);
    pair->run(kNever);
    expect_all_once(pair->a, pair->b);
    EXPECT_EQ(events(pair->a, EventType::kNumbersCut), 1) << "one event";
    EXPECT_TRUE(pair->idle());
}

TEST_F(LtpRudePeers, ReportsToAPeerThatCutsNumbersAreAcknowledged) {
    settings.numbers_of_a = NumberSize::k64Bits;
    begin();
    pair->b_reads = test::with_cut_numbers;
    send_ten(pair->b);
    pair->run(kNever);
    expect_all_once(pair->b, pair->a);
    EXPECT_EQ(pair->a.engine.counters(pair->a.peer).acks_unknown, 0U);
    EXPECT_EQ(events(pair->a, EventType::kNumbersCut), 1);
}

TEST_F(LtpRudePeers, APeerThatReadsLongNumbersGetsThem) {
    settings.numbers_of_a = NumberSize::k64Bits;
    begin();
    send_ten(pair->a);
    pair->run(kNever);
    expect_all_once(pair->a, pair->b);
    EXPECT_EQ(events(pair->a, EventType::kNumbersCut), 0);
}

TEST_F(LtpRudePeers, OctetsBehindAReportAreCountedApart) {
    begin();
    pair->b_sends = test::with_junk;
    send_ten(pair->a);
    pair->run(kNever);
    expect_all_once(pair->a, pair->b);
    const Counters &counters = pair->a.engine.counters(pair->a.peer);
    EXPECT_EQ(counters.trailing_octets, 10U);
    for (const std::uint64_t malformed : counters.malformed) EXPECT_EQ(malformed, 0U);
}

TEST_F(LtpRudePeers, ADeliveredBlockThatIsNotSafeYetIsNotCancelled) {
    settings.to_a.loss = settings.to_b.loss = 0.1;
    begin();
    pair->b.acknowledge_at_once = false;
    send_ten(pair->a);
    // The patience of the sender is 14 s, and the disk takes three minutes.
    pair->run(pair->now + seconds(180));
    EXPECT_EQ(pair->b.unacknowledged.size(), 10U);
    EXPECT_TRUE(pair->a.delivered.empty()) << "missing octets are not claimed";
    for (const SessionHandle session : pair->b.unacknowledged)
        pair->b.engine.block_safe(session, pair->now);
    pair->run(kNever);
    expect_all_once(pair->a, pair->b);
    EXPECT_TRUE(pair->idle());
}

}  // namespace
}  // namespace farlink::cla::ltp::rude_peers_test
