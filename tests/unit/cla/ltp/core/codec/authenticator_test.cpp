// SPDX-License-Identifier: Apache-2.0
// Two LTP engines that share a key, and engines without it (RFC 5327).
#include <gtest/gtest.h>

#include "cla/ltp/hmac_authenticator.hpp"
#include "tests/support/ltp_pair.hpp"

#if FARLINK_TLS

namespace farlink::cla::ltp::authenticator_test {
namespace {

using config::LtpCiphersuite;
using test::LtpPair;
using test::LtpSide;
using test::numbered_block;

constexpr std::uint64_t kAll = BlockRequest::kAllRed;

std::unique_ptr<Authenticator> key_of(std::uint8_t octet, Bytes key_id = {0x24},
                                      LtpCiphersuite suite = LtpCiphersuite::kHmacSha256) {
    return std::move(*HmacAuthenticator::make(suite, Bytes(32, octet), key_id));
}

struct LtpAuthentication : testing::Test {
    /// Engine 10 sends, engine 20 receives.
    void meet(Authenticator *of_a, Authenticator *of_b) {
        PeerConfig config;
        config.engine = EngineId{20};
        config.authenticator = of_a;
        a = std::make_unique<LtpSide>(EngineConfig{EngineId{10}, {}, 64}, config, 1);
        config.engine = EngineId{10};
        config.authenticator = of_b;
        b = std::make_unique<LtpSide>(EngineConfig{EngineId{20}, {}, 64}, config, 2);
        for (LtpSide *side : {a.get(), b.get()}) side->engine.contact_opened(side->peer, now);
    }
    std::vector<Bytes> poll(LtpSide &from) {
        std::vector<Bytes> datagrams;
        from.batch.clear();
        from.engine.poll_segments(from.peer, from.batch, 1'000'000, now);
        for (const OutSegment &segment : from.batch.segments()) {
            datagrams.emplace_back();
            for (const ByteView piece : from.batch.pieces_of(segment))
                append(datagrams.back(), piece);
        }
        return datagrams;
    }
    void feed(LtpSide &to, ByteView datagram) {
        to.engine.handle_datagram(to.peer, datagram, now);
        to.drain(now);
    }
    /// The engine has ignored what it was fed.
    static void expect_untouched(const LtpSide &side) {
        EXPECT_EQ(side.engine.sessions_in(), 0U);
        EXPECT_FALSE(side.engine.wants_to_send(side.peer));
        EXPECT_TRUE(side.received.empty());
        EXPECT_TRUE(side.events.empty());
        EXPECT_EQ(side.engine.counters(side.peer).sessions_opened, 0U);
    }
    const Counters &counters(const LtpSide &side) { return side.engine.counters(side.peer); }

    TimePoint now{seconds(500)};
    std::unique_ptr<Authenticator> key = key_of(1);
    std::unique_ptr<LtpSide> a;
    std::unique_ptr<LtpSide> b;
};

TEST_F(LtpAuthentication, TheExtensionsAreThoseOfTheStandard) {
    const auto sha1 = key_of(1, {0x24}, LtpCiphersuite::kHmacSha1_80);
    meet(sha1.get(), sha1.get());
    ASSERT_TRUE(a->send(1, numbered_block(1, 20), kAll, now));
    const Bytes octets = poll(*a).at(0);
    const auto segment = decode_segment(octets);
    ASSERT_TRUE(segment.has_value());
    EXPECT_EQ(segment->header_extension_count, 1);
    EXPECT_EQ(segment->trailer_extension_count, 1);
    // The example of RFC 5327 section 2.1.
    EXPECT_EQ(Bytes(segment->header_extensions.begin(), segment->header_extensions.end()),
              (Bytes{0x00, 0x02, 0x00, 0x24}));
    EXPECT_EQ(segment->trailer_extensions.size(), 12U);
    EXPECT_EQ(segment->trailer_extensions[0], 0);
    EXPECT_EQ(segment->trailer_extensions[1], 10);
    // The value covers all before it, its own tag and length included.
    Bytes value(10);
    const ByteView covered[] = {ByteView(octets).first(octets.size() - 10)};
    sha1->sign(covered, value);
    EXPECT_TRUE(std::ranges::equal(value, ByteView(octets).last(10)));
    feed(*b, octets);
    EXPECT_EQ(b->received[1], 1);
}

TEST_F(LtpAuthentication, AFlippedBitAnywhereIsRefused) {
    meet(key.get(), key.get());
    ASSERT_TRUE(a->send(1, numbered_block(1, 60), kAll, now));
    const Bytes octets = poll(*a).at(0);
    for (std::size_t bit = 0; bit < 8 * octets.size(); ++bit) {
        Bytes forged = octets;
        forged[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        feed(*b, forged);
        ASSERT_EQ(b->engine.sessions_in(), 0U) << "bit " << bit;
    }
    expect_untouched(*b);
    const Counters &counted = counters(*b);
    EXPECT_GT(counted.forged, 4 * octets.size());
    EXPECT_GE(counted.other_keys, 16U) << "ciphersuite and key id";
    EXPECT_GT(counted.unauthenticated, 0U);
    // A part of it, and more than it.
    for (std::size_t size = 0; size < octets.size(); ++size) feed(*b, ByteView(octets).first(size));
    expect_untouched(*b);
    feed(*b, octets);
    EXPECT_EQ(b->received[1], 1) << "the segment itself is accepted";
}

TEST_F(LtpAuthentication, SegmentsWithoutTheKeyChangeNothing) {
    const auto other = key_of(2);
    const auto named = key_of(1, {0x25});
    const auto unnamed = key_of(1, {});
    const auto suite = key_of(1, {0x24}, LtpCiphersuite::kHmacSha1_80);
    for (Authenticator *const wrong : {static_cast<Authenticator *>(nullptr), other.get(),
                                       named.get(), unnamed.get(), suite.get()}) {
        meet(wrong, key.get());
        ASSERT_TRUE(a->send(1, numbered_block(1, 3000), kAll, now));
        for (const Bytes &octets : poll(*a)) feed(*b, octets);
        expect_untouched(*b);
        const Counters &counted = counters(*b);
        EXPECT_EQ(counted.unauthenticated, wrong == nullptr ? 3U : 0U);
        EXPECT_EQ(counted.forged, wrong == other.get() ? 3U : 0U);
        EXPECT_EQ(counted.unauthenticated + counted.forged + counted.other_keys, 3U);
    }
}

// A sender without an authentic answer gives up in the end, and keeps nothing.
TEST_F(LtpAuthentication, AnswersWithAnotherKeyAreIgnored) {
    const auto other = key_of(2);
    meet(key.get(), nullptr);
    ASSERT_TRUE(a->send(1, numbered_block(1, 100), kAll, now));
    for (const Bytes &octets : poll(*a)) feed(*b, octets);
    EXPECT_EQ(b->received[1], 1) << "without a key the value is ignored";
    for (const Bytes &octets : poll(*b)) feed(*a, octets);
    EXPECT_EQ(counters(*a).unauthenticated, 1U);
    EXPECT_TRUE(a->delivered.empty());
    for (int alarms = 0; alarms < 100 && a->engine.sessions_out() > 0; ++alarms) {
        now = a->engine.next_timeout();
        a->engine.handle_timeout(now);
        static_cast<void>(poll(*a));
        a->drain(now);
    }
    EXPECT_EQ(a->cancelled[1], 1);
    EXPECT_EQ(a->engine.sessions_out(), 0U);
}

TEST_F(LtpAuthentication, ReplayedAndReflectedSegmentsChangeNothing) {
    meet(key.get(), key.get());
    ASSERT_TRUE(a->send(1, numbered_block(1, 5000), kAll, now));
    std::vector<Bytes> of_a;
    std::vector<Bytes> of_b;
    for (bool more = true; more;) {
        const auto there = poll(*a);
        for (const Bytes &octets : there) feed(*b, octets);
        const auto back = poll(*b);
        for (const Bytes &octets : back) feed(*a, octets);
        of_a.insert(of_a.end(), there.begin(), there.end());
        of_b.insert(of_b.end(), back.begin(), back.end());
        more = !there.empty() || !back.empty();
    }
    ASSERT_EQ(a->delivered[1], 1);
    for (int round = 0; round < 3; ++round) {
        for (const Bytes &octets : of_a) feed(*b, octets);
        for (const Bytes &octets : of_b) feed(*a, octets);
    }
    EXPECT_EQ(b->received[1], 1);
    EXPECT_EQ(b->engine.sessions_in() + a->engine.sessions_out(), 0U);
    EXPECT_EQ(a->delivered[1], 1);
    // One key serves both directions: a reflected segment is detected by its engine id.
    for (const Bytes &octets : of_a) feed(*a, octets);
    for (const Bytes &octets : of_b) feed(*b, octets);
    EXPECT_EQ(counters(*a).foreign_sessions, of_a.size());
    EXPECT_EQ(counters(*b).foreign_sessions, of_b.size());
    EXPECT_EQ(a->engine.sessions_in() + b->engine.sessions_out(), 0U);
}

// While keys change a segment may carry two values (RFC 5327 section 2.1).
TEST_F(LtpAuthentication, OneValidValueOfSeveralIsEnough) {
    const auto other = key_of(2, {0x25});
    const auto signed_with = [](std::initializer_list<Authenticator *> keys) {
        Bytes octets(40);
        const auto count = static_cast<std::uint8_t>(keys.size());
        std::uint8_t *to = encode_prefix(octets.data(), SegmentType::kCancelBySender, 10, 5,
                                         static_cast<std::uint8_t>(count << 4 | count));
        octets.resize(static_cast<std::size_t>(to - octets.data()));
        for (Authenticator *const each : keys) {
            octets.push_back(kAuthenticationTag);
            octets.push_back(static_cast<std::uint8_t>(each->header_value().size()));
            append(octets, each->header_value());
        }
        octets.push_back(0);
        std::vector<Bytes> parts{octets};
        for (std::size_t i = 0; i < keys.size(); ++i) parts.push_back({kAuthenticationTag, 32});
        // A value covers all but the values: the first part joins the first trailer's head.
        append(parts[0], parts[1]);
        parts.erase(parts.begin() + 1);
        const std::vector<ByteView> covered(parts.begin(), parts.end());
        Bytes segment;
        std::size_t i = 0;
        for (Authenticator *const each : keys) {
            Bytes value(32);
            each->sign(covered, value);
            append(segment, parts[i++]);
            append(segment, value);
        }
        return segment;
    };
    meet(key.get(), key.get());
    feed(*b, signed_with({other.get(), key.get()}));
    feed(*b, signed_with({key.get(), other.get()}));
    EXPECT_EQ(counters(*b).cancels_unknown_session, 2U);
    feed(*b, signed_with({other.get(), other.get()}));
    EXPECT_EQ(counters(*b).other_keys, 1U);
    Bytes damaged = signed_with({other.get(), key.get()});
    damaged.back() ^= 1;
    feed(*b, damaged);
    EXPECT_EQ(counters(*b).forged, 1U);
    EXPECT_EQ(counters(*b).cancels_unknown_session, 2U);
}

// The whole protocol over bad links, with every ciphersuite.
TEST_F(LtpAuthentication, EveryBlockArrivesOnceOverBadLinks) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto suite = seed % 3 == 0   ? LtpCiphersuite::kNull
                           : seed % 3 == 1 ? LtpCiphersuite::kHmacSha1_80
                                           : LtpCiphersuite::kHmacSha256;
        const auto shared = key_of(static_cast<std::uint8_t>(seed), {1, 2, 3, 4}, suite);
        LtpPair::Settings settings;
        settings.seed = seed;
        settings.link.authenticator = shared.get();
        settings.link.timing = {milliseconds(300), milliseconds(100)};
        settings.link.data_mtu = 700;
        settings.link.retries = 60;
        settings.to_b.delay = settings.to_a.delay = milliseconds(300);
        settings.to_b.jitter = settings.to_a.jitter = milliseconds(seed % 2 == 0 ? 0 : 20);
        settings.to_b.loss = settings.to_a.loss = 0.15;
        settings.to_b.duplication = settings.to_a.duplication = 0.05;
        LtpPair pair(settings);
        for (std::uint64_t number = 1; number <= 20; ++number)
            ASSERT_TRUE(pair.a.send(number, numbered_block(number, number * 1000), kAll, pair.now));
        pair.run(kNever);
        EXPECT_TRUE(pair.idle());
        EXPECT_EQ(pair.a.delivered.size(), 20U);
        EXPECT_EQ(pair.b.received.size(), 20U);
        for (const auto &[number, times] : pair.b.received) EXPECT_EQ(times, 1) << number;
        for (const LtpSide *side : {&pair.a, &pair.b}) {
            const Counters &counted = side->engine.counters(side->peer);
            EXPECT_EQ(counted.unauthenticated + counted.other_keys + counted.forged, 0U);
        }
    }
}

}  // namespace
}  // namespace farlink::cla::ltp::authenticator_test

#endif  // FARLINK_TLS
