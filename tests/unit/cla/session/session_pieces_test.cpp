// SPDX-License-Identifier: Apache-2.0
// Bundles in pieces through two sessions of either version of TCPCL, with a connection that splits
// and delays: the octets are the same on both sides, wherever they are cut.
#include <gtest/gtest.h>

#include "cla/tcpcl/v3/core/session.hpp"
#include "cla/tcpcl/v4/core/session.hpp"
#include "tests/support/core_pair.hpp"

namespace farlink::cla::session_pieces_test {
namespace {

using test::CoreHost;
using test::CorePair;
using test::octets_of;

/// Of the memory that a host reads into.
constexpr std::uint64_t kSlab = 65'536;
constexpr std::uint64_t kLeastAbove = 4096;

std::unique_ptr<SessionCore> session_of(bool version4, const SessionConfig &config) {
    if (version4) return std::make_unique<tcpclv4::Session>(config, UpstreamId{1});
    return std::make_unique<tcpclv3::Session>(config, UpstreamId{1});
}

SessionConfig config_of(Random &random, SessionRole role) {
    constexpr std::uint64_t kSegments[] = {50, 300, 1000, 5000, 100'000};
    SessionConfig config;
    config.role = role;
    config.node_id = role == SessionRole::kActive ? "ipn:1.0" : "ipn:2.0";
    config.keep_alive = seconds(10);
    config.segment_mru = 1'000'000;
    config.transfer_mru = 1'000'000;
    config.max_segment = kSegments[random.below(5)];
    config.max_unacknowledged = 200'000;
    config.max_unsent = 1 + random.below(50'000);
    config.max_transfers = static_cast<std::uint32_t>(1 + random.below(5));
    config.handshake_limit = config.termination_limit = seconds(10);
    config.acknowledge_limit = seconds(60);
    return config;
}

SessionConfig passive(SessionConfig config) {
    config.role = SessionRole::kPassive;
    config.node_id = "ipn:2.0";
    return config;
}

test::PipeWeather weather_of(Random &random) {
    test::PipeWeather weather;
    weather.longest_piece = random.chance(1, 2) ? 300 : 5000;
    weather.longest_delay = milliseconds(random.below(3));
    weather.capacity = random.chance(1, 3) ? 5000 : 100'000;
    return weather;
}

/// Hands bundles over in pieces of random sizes, at most `window` pieces ahead of the reports.
class PieceFlow {
public:
    PieceFlow(CoreHost &host, std::vector<Bytes> bundles, std::size_t window, Random &random)
        : host_(host), bundles_(std::move(bundles)), window_(window), random_(random) {}

    void send(TimePoint now) {
        while (index_ < bundles_.size() && host_.established && !host_.ended &&
               host_.next_token - host_.transmitted < window_ && host_.core->transmit_credit() > 0)
            send_piece(now);
    }
    [[nodiscard]] bool done() const {
        return index_ == bundles_.size() && host_.transmitted == host_.next_token;
    }

private:
    void send_piece(TimePoint now) {
        const ByteView rest = ByteView(bundles_[index_]).subspan(sent_);
        const std::size_t size =
            random_.chance(1, 3) ? rest.size() : 1 + random_.below(rest.size());
        const std::size_t head = random_.chance(1, 2) ? random_.below(size + 1) : 0;
        const std::size_t part = std::min<std::size_t>(head, 80);
        host_.send_piece(rest.first(size), sent_ > 0, rest.size() - size, now, part);
        sent_ += size;
        if (size < rest.size()) return;
        ++index_;
        sent_ = 0;
    }

    CoreHost &host_;
    std::vector<Bytes> bundles_;
    std::size_t window_;
    Random &random_;
    std::size_t index_ = 0;
    std::size_t sent_ = 0;
};

class SessionPieces : public testing::TestWithParam<bool> {};

TEST_P(SessionPieces, OctetsAreTheSameOnBothSides) {
    std::size_t pieces = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        CorePair pair(session_of(GetParam(), config_of(random, SessionRole::kActive)),
                      session_of(GetParam(), config_of(random, SessionRole::kPassive)), seed,
                      weather_of(random));
        const std::uint64_t above = kLeastAbove + random.below(10'000);
        std::vector<Bytes> bundles;
        for (int i = 0; i < 8; ++i)
            bundles.push_back(
                octets_of(1 + random.below(random.chance(1, 2) ? 40'000 : 3000), random.next()));
        for (CoreHost *host : {&pair.a, &pair.b}) {
            host->acknowledge_at_once = true;
            host->buffer.set_spool_above(above);
        }
        PieceFlow to_b(pair.a, bundles, 1 + random.below(4), random);
        PieceFlow to_a(pair.b, bundles, 1 + random.below(4), random);
        pair.connect();
        for (int step = 0; step < 20'000 && !(to_b.done() && to_a.done()); ++step) {
            to_b.send(pair.now);
            to_a.send(pair.now);
            pair.run(pair.now + milliseconds(2));
        }
        ASSERT_TRUE(to_b.done() && to_a.done());
        ASSERT_EQ(pair.a.received, bundles);
        ASSERT_EQ(pair.b.received, bundles);
        ASSERT_LE(pair.b.largest_piece, std::max(above, kSlab));
        ASSERT_EQ(pair.a.given_up + pair.b.given_up, 0U);
        ASSERT_TRUE(pair.a.refused.empty() && pair.b.refused.empty());
        pieces += pair.b.pieces;
        pair.b.buffer.rest();
        ASSERT_EQ(pair.b.pool.pinned_bytes(), 0U);
    }
    EXPECT_GT(pieces, 300U);
}

/// The host sends a part of a bundle and the session ends: the peer drops what it has.
TEST_P(SessionPieces, NothingIsLeftOfABundleThatIsBrokenOff) {
    for (const bool by_command : {true, false}) {
        Random random(7);
        SessionConfig config = config_of(random, SessionRole::kActive);
        config.max_segment = 1000;
        CorePair pair(session_of(GetParam(), config), session_of(GetParam(), passive(config)));
        pair.b.acknowledge_at_once = true;
        pair.b.buffer.set_spool_above(10'000);
        pair.connect();
        pair.run(pair.now);
        pair.a.send_piece(octets_of(30'500, 1), false, 100'000, pair.now);
        pair.run(pair.now);
        ASSERT_GT(pair.b.pieces, 1U);
        EXPECT_EQ(pair.a.transmitted, 1U);
        if (by_command)
            pair.a.terminate(pair.now);
        else
            pair.b.terminate(pair.now);
        pair.run_timers(pair.now + seconds(30));
        EXPECT_TRUE(pair.a.ended);
        EXPECT_TRUE(pair.b.ended);
        EXPECT_TRUE(pair.b.received.empty());
        if (by_command) {
            EXPECT_EQ(pair.a.fault, LinkFault::kNone);
        }
        pair.b.buffer.rest();
        EXPECT_EQ(pair.b.pool.pinned_bytes(), 0U);
    }
}

/// Reading from disk may take any time: the session waits, kept alive.
TEST_P(SessionPieces, TheNextPieceMayComeMuchLater) {
    Random random(7);
    SessionConfig config = config_of(random, SessionRole::kActive);
    config.max_transfers = 1;
    CorePair pair(session_of(GetParam(), config), session_of(GetParam(), passive(config)));
    pair.b.acknowledge_at_once = true;
    pair.connect();
    pair.run(pair.now);
    const Bytes bundle = octets_of(60'000, 1);
    for (std::size_t at = 0; at < bundle.size(); at += 15'000) {
        EXPECT_GT(pair.a.core->transmit_credit(), 0U);
        pair.a.send_piece(ByteView(bundle).subspan(at, 15'000), at > 0, bundle.size() - at - 15'000,
                          pair.now);
        pair.run_timers(pair.now + seconds(500));
        ASSERT_FALSE(pair.a.ended || pair.b.ended);
        EXPECT_EQ(pair.a.transmitted, pair.a.next_token);
    }
    EXPECT_EQ(pair.b.received, std::vector<Bytes>{bundle});
}

/// What is sent and has no answer counts, as for a whole bundle.
TEST_P(SessionPieces, APieceWithoutAnAnswerEndsTheSession) {
    Random random(7);
    SessionConfig config = config_of(random, SessionRole::kActive);
    config.keep_alive = Duration::zero();
    CorePair pair(session_of(GetParam(), config), session_of(GetParam(), passive(config)));
    pair.connect();
    pair.run(pair.now);
    pair.a.send_piece(octets_of(5000, 1), false, 5000, pair.now);
    (void)pair.a.drain(pair.now);
    EXPECT_NE(pair.a.core->next_timeout(), kNever);
    pair.a.timeout(pair.now + seconds(61));
    EXPECT_EQ(pair.a.fault, LinkFault::kUnresponsive);
}

TEST_P(SessionPieces, APausedHostIsNotReadInTheMiddleOfABundle) {
    Random random(7);
    SessionConfig config = config_of(random, SessionRole::kActive);
    config.max_segment = 1000;
    config.max_unsent = 1'000'000;
    CorePair pair(session_of(GetParam(), config), session_of(GetParam(), passive(config)));
    pair.b.buffer.set_spool_above(10'000);
    pair.connect();
    pair.run(pair.now);
    // A bundle of its own without an answer keeps the session reading otherwise.
    pair.b.send(octets_of(10, 1), pair.now);
    const Bytes bundle = octets_of(400'000, 1);
    pair.a.send_piece(ByteView(bundle).first(200'000), false, 200'000, pair.now);
    pair.a.send_piece(ByteView(bundle).subspan(200'000), true, 0, pair.now);
    while (pair.b.pieces < 2) {
        const Bytes octets = pair.a.drain(pair.now, 5000);
        ASSERT_FALSE(octets.empty());
        pair.b.feed(octets, pair.now);
    }
    EXPECT_TRUE(pair.b.core->wants_read());
    pair.b.core->handle_pause(true);
    EXPECT_FALSE(pair.b.core->wants_read());
    pair.b.core->handle_pause(false);
    EXPECT_TRUE(pair.b.core->wants_read());
    pair.b.feed(pair.a.drain(pair.now), pair.now);
    EXPECT_EQ(pair.b.received, std::vector<Bytes>{bundle});
}

/// Without memory the beginning of a bundle is refused; in the middle of one that is stored as it
/// arrives the session waits.
TEST_P(SessionPieces, WaitsForMemoryInTheMiddleOfABundle) {
    Random random(7);
    SessionConfig config = config_of(random, SessionRole::kActive);
    config.max_segment = 1000;
    config.max_unsent = 1'000'000;
    CorePair pair(session_of(GetParam(), config), session_of(GetParam(), passive(config)));
    pair.b.buffer.set_spool_above(10'000);
    pair.connect();
    pair.run(pair.now);
    const Bytes bundle = octets_of(200'000, 1);
    pair.a.send_piece(bundle, false, 10, pair.now);
    while (pair.b.pieces < 2) pair.b.feed(pair.a.drain(pair.now, 5000), pair.now);
    std::vector<SlabRef> all;
    while (SlabRef slab = pair.b.pool.acquire()) all.push_back(std::move(slab));
    all.push_back(pair.b.pool.acquire_beyond_limit());
    all.push_back(pair.b.pool.acquire_beyond_limit());
    pair.b.buffer.rest();
    EXPECT_TRUE(pair.b.core->prepare(pair.b.buffer).empty());
    EXPECT_FALSE(pair.b.core->wants_read());
    const TimePoint due = pair.b.core->next_timeout();
    ASSERT_LE(due, pair.now + milliseconds(10));
    all.clear();
    pair.b.timeout(std::max(due, pair.now));
    EXPECT_TRUE(pair.b.core->wants_read());
    pair.b.feed(pair.a.drain(pair.now), pair.now);
    pair.a.send_piece(octets_of(10, 2), true, 0, pair.now);
    pair.b.feed(pair.a.drain(pair.now), pair.now);
    EXPECT_EQ(pair.b.received.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Versions, SessionPieces, testing::Bool(),
                         [](const auto &version) { return version.param ? "Tcpclv4" : "Tcpclv3"; });

}  // namespace
}  // namespace farlink::cla::session_pieces_test
