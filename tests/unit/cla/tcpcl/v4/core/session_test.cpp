// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/session.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/cla/tcpcl/v4/core/fixture.hpp"

namespace farlink::cla::tcpclv4::session_test {
namespace {

using test::CoreHost;
using test::CorePair;
using test::octets_of;
using test::to_hex;
using Kind = SessionEvent::Kind;

CorePair pair_of(SessionConfig active = config_of(SessionRole::kActive),
                 SessionConfig passive = config_of(SessionRole::kPassive), std::uint64_t seed = 1,
                 test::PipeWeather weather = {}) {
    return {session_of(active), session_of(passive), seed, weather};
}

TEST(Tcpclv4Session, OpensMovesBundlesBothWaysAndCloses) {
    CorePair pair = pair_of();
    pair.a.acknowledge_at_once = pair.b.acknowledge_at_once = true;
    pair.connect();
    pair.run();
    ASSERT_TRUE(pair.a.established && pair.b.established);
    EXPECT_EQ(pair.a.core->peer_node_id(), "ipn:2.0");
    EXPECT_EQ(pair.b.core->peer_node_id(), "ipn:1.0");
    EXPECT_EQ(pair.a.core->max_bundle_bytes(), 16U * 1024 * 1024);

    std::vector<Bytes> bundles;
    for (const std::size_t size : {1U, 100U, 2048U, 2049U, 65536U, 65537U, 300000U, 7U})
        bundles.push_back(octets_of(size, bundles.size()));
    pair.a.send_all(bundles, pair.now, 3);
    pair.b.send_all(bundles, pair.now);
    pair.run();
    EXPECT_EQ(pair.b.received, bundles);
    EXPECT_EQ(pair.a.received, bundles);
    EXPECT_EQ(pair.a.transmitted, bundles.size());
    EXPECT_EQ(pair.b.transmitted, bundles.size());

    pair.a.terminate(pair.now);
    pair.run();
    EXPECT_TRUE(pair.a.ended && pair.b.ended);
    EXPECT_EQ(pair.a.fault, LinkFault::kNone);
    EXPECT_EQ(pair.b.fault, LinkFault::kPeerTerminated);
    EXPECT_EQ(pair.a.count(Kind::kDeparture) + pair.b.count(Kind::kDeparture), 0U);
    EXPECT_EQ(pair.a.pool.pinned_bytes() + pair.b.pool.pinned_bytes(), 0U);
}

/// Bundles that differ from each other.
Bytes numbered(std::uint64_t number, std::size_t size) {
    Bytes bundle = octets_of(std::max<std::size_t>(size, 8), number);
    store_be(bundle.data(), number);
    return bundle;
}
std::uint64_t number_of(const Bytes &bundle) {
    return load_be<std::uint64_t>(bundle.data());
}

/// The promise: what was reported as transmitted is safe at the other side.
void expect_promise_kept(const CoreHost &sender, const CoreHost &receiver) {
    std::set<std::uint64_t> safe;
    for (std::size_t i = 0; i < receiver.received.size(); ++i)
        if (receiver.safe[i]) safe.insert(number_of(receiver.received[i]));
    for (std::uint64_t token = 0; token < sender.transmitted; ++token)
        ASSERT_TRUE(safe.contains(token) != sender.refused.contains(token)) << token;
    for (const auto &received : receiver.received)
        ASSERT_EQ(received, numbered(number_of(received), received.size()));
}

/// Two hosts that do what hosts do, by chance.
struct Play {
    explicit Play(std::uint64_t seed, test::PipeWeather weather)
        : random(seed),
          pair(pair_of(playing(SessionRole::kActive), playing(SessionRole::kPassive), seed,
                       weather)) {
        pair.connect();
    }
    static SessionConfig playing(SessionRole role) {
        SessionConfig config = config_of(role);
        config.max_segment = 3000;
        config.max_unacknowledged = 20'000;
        config.max_transfers = 20;
        config.keep_alive = seconds(5);
        return config;
    }
    void act(CoreHost &host, std::vector<std::uint64_t> &unacknowledged) {
        while (unacknowledged.size() < host.received.size()) unacknowledged.push_back(kOpen);
        switch (random.below(6)) {
            case 0:
            case 1:
                if (host.established && host.core->transmit_credit() > 0) send(host);
                break;
            case 2:
                acknowledge(host, unacknowledged);
                break;
            case 3:
                host.core->handle_pause(random.chance(1, 3));
                break;
            case 4:
                (void)host.core->compact(host.pool);
                break;
            case 5:
                starve(host);
                break;
        }
    }
    void send(CoreHost &host) {
        std::vector<Bytes> bundles;
        for (std::uint64_t more = random.below(4) + 1; more > 0; --more) {
            const std::size_t size = random.chance(1, 4) ? 20'000 : 200;
            bundles.push_back(numbered(host.next_token + bundles.size(), 8 + random.below(size)));
        }
        host.send_all(bundles, pair.now, 1 + random.below(3));
    }
    void acknowledge(CoreHost &host, std::vector<std::uint64_t> &unacknowledged) {
        if (unacknowledged.empty()) return;
        const std::uint64_t first = random.below(unacknowledged.size());
        std::uint32_t count = 0;
        while (first + count < unacknowledged.size() && unacknowledged[first + count] == kOpen)
            unacknowledged[first + count++] = 0;
        if (count == 0) return;
        const auto disposition =
            random.chance(1, 4) ? TransferDisposition::kNoResources : TransferDisposition::kSafe;
        host.acknowledge(first, count, disposition, pair.now);
    }
    void acknowledge_everything(CoreHost &host, std::vector<std::uint64_t> &unacknowledged) {
        while (unacknowledged.size() < host.received.size()) unacknowledged.push_back(kOpen);
        for (std::uint64_t number = 0; number < unacknowledged.size() && !host.ended; ++number)
            if (std::exchange(unacknowledged[number], 0) == kOpen)
                host.acknowledge(number, 1, TransferDisposition::kSafe, pair.now);
    }
    /// Takes the host's memory away for a time, or gives it back.
    void starve(CoreHost &host) {
        if (!hoard.empty()) return hoard.clear();
        if (!random.chance(1, 4)) return;
        while (SlabRef slab = host.pool.acquire()) hoard.push_back(slab);
        hoard.push_back(host.pool.acquire_beyond_limit());
    }
    void run(int steps) {
        for (int step = 0; step < steps && !over(); ++step) {
            act(pair.a, unacknowledged_a);
            act(pair.b, unacknowledged_b);
            pair.run(pair.now + milliseconds(random.below(20)));
        }
        hoard.clear();
    }
    /// Lets everything come to its end.
    void finish() {
        for (int round = 0; round < 1000 && !over(); ++round) {
            pair.a.core->handle_pause(false);
            pair.b.core->handle_pause(false);
            acknowledge_everything(pair.a, unacknowledged_a);
            acknowledge_everything(pair.b, unacknowledged_b);
            pair.run(pair.now + milliseconds(300));
            if (pair.a.transmitted == pair.a.next_token && pair.b.transmitted == pair.b.next_token)
                break;
        }
    }
    [[nodiscard]] bool over() const { return pair.a.ended && pair.b.ended; }

    static constexpr std::uint64_t kOpen = 1;
    Random random;
    std::vector<SlabRef> hoard;
    CorePair pair;
    std::vector<std::uint64_t> unacknowledged_a;
    std::vector<std::uint64_t> unacknowledged_b;
};

test::PipeWeather weather_of(std::uint64_t seed) {
    test::PipeWeather weather;
    weather.longest_piece = seed % 3 == 0 ? 7 : 5000;
    weather.longest_delay = milliseconds(seed % 5 * 10);
    weather.stalls_per_mille = seed % 2 == 0 ? 5 : 0;
    weather.capacity = seed % 7 == 0 ? 1000 : 100'000;
    return weather;
}

TEST(Tcpclv4Session, KeepsItsPromiseInAnyWeather) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Play play(seed, weather_of(seed));
        play.run(150);
        play.finish();
        const CorePair &pair = play.pair;
        ASSERT_FALSE(pair.a.ended || pair.b.ended) << to_string(pair.a.fault);
        ASSERT_EQ(pair.a.transmitted, pair.a.next_token);
        ASSERT_EQ(pair.b.transmitted, pair.b.next_token);
        ASSERT_NO_FATAL_FAILURE(expect_promise_kept(pair.a, pair.b));
        ASSERT_NO_FATAL_FAILURE(expect_promise_kept(pair.b, pair.a));
        play.pair.a.terminate(pair.now);
        play.pair.run_timers(pair.now + seconds(2));
        ASSERT_TRUE(play.over());
        ASSERT_EQ(pair.a.fault, LinkFault::kNone);
        ASSERT_EQ(pair.b.fault, LinkFault::kPeerTerminated);
    }
}

TEST(Tcpclv4Session, KeepsItsPromiseWhereverTheConnectionIsCut) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Play play(seed, weather_of(seed));
        Random random(seed);
        (random.chance(1, 2) ? play.pair.to_a : play.pair.to_b).cut_after(random.below(60'000));
        play.run(100);
        play.pair.break_off();
        ASSERT_NO_FATAL_FAILURE(expect_promise_kept(play.pair.a, play.pair.b));
        ASSERT_NO_FATAL_FAILURE(expect_promise_kept(play.pair.b, play.pair.a));
    }
}

TEST(Tcpclv4Session, KeepsItsPromiseCutBehindEachOctet) {
    for (const bool cut_a : {false, true}) {
        bool reached = true;
        for (std::uint64_t cut = 0; reached; ++cut) {
            SCOPED_TRACE(cut);
            CorePair pair = pair_of();
            pair.a.acknowledge_at_once = pair.b.acknowledge_at_once = true;
            test::BytePipe &pipe = cut_a ? pair.to_a : pair.to_b;
            pipe.cut_after(cut);
            pair.connect();
            pair.run();
            for (std::uint64_t i = 0; i < 3 && !pair.a.ended && !pair.b.ended; ++i) {
                pair.a.send(numbered(i, 8 + 10 * i), pair.now);
                pair.b.send(numbered(i, 30), pair.now);
                pair.run();
            }
            pair.a.terminate(pair.now);
            pair.run();
            reached = pipe.written() == cut;
            pair.break_off();
            ASSERT_NO_FATAL_FAILURE(expect_promise_kept(pair.a, pair.b));
            ASSERT_NO_FATAL_FAILURE(expect_promise_kept(pair.b, pair.a));
            ASSERT_TRUE(reached || pair.a.transmitted + pair.b.transmitted == 6U);
        }
    }
}

TEST(Tcpclv4Session, TheAnsweringSideEndsWhenItsTransfersAreDone) {
    Played played;
    played.host.send(octets_of(100, 1), played.now);
    (void)played.said();
    played.handle(segment_octets(3, 0, octets_of(5, 1)) + octets_of_message(Term{0, 3}));
    EXPECT_EQ(played.said_hex(), "050103");
    EXPECT_EQ(played.host.core->transmit_credit(), 0U);
    played.handle(ack_octets(3, 0, 100));
    EXPECT_EQ(played.host.transmitted, 1U);
    EXPECT_FALSE(played.host.ended);
    played.host.acknowledge(0, 1, TransferDisposition::kSafe, played.now);
    EXPECT_EQ(played.said_hex(), to_hex(ack_octets(3, 0, 5)));
    EXPECT_TRUE(played.host.ended);
    EXPECT_EQ(played.host.fault, LinkFault::kPeerTerminated);
}

TEST(Tcpclv4Session, APeerThatNeverAnswersSessTermIsLeft) {
    Played played;
    played.host.terminate(played.now);
    EXPECT_EQ(played.said_hex(), "050000");
    EXPECT_EQ(played.host.core->next_timeout(), at(1000)) << "nothing is under way";
    played.host.timeout(at(1000));
    EXPECT_TRUE(played.host.ended);
    EXPECT_EQ(played.host.fault, LinkFault::kTerminationTimeout);
}

TEST(Tcpclv4Session, WhatIsUnderWayHasLongerToEnd) {
    Played played;
    played.host.send(octets_of(100, 1), played.now);
    (void)played.said();
    played.host.terminate(played.now);
    (void)played.said();
    for (int second = 1; second < 5; ++second) {
        EXPECT_EQ(played.host.core->next_timeout(), at(1000 * second));
        played.host.timeout(at(1000 * second));
        EXPECT_FALSE(played.host.ended) << second;
    }
    played.host.timeout(at(5000));
    EXPECT_TRUE(played.host.ended);
    EXPECT_EQ(played.host.fault, LinkFault::kTerminationTimeout);
}

TEST(Tcpclv4Session, BothSidesMayEndItAtTheSameTime) {
    CorePair pair = pair_of();
    pair.connect();
    pair.run();
    pair.a.terminate(pair.now);
    pair.b.terminate(pair.now);
    pair.run();
    EXPECT_TRUE(pair.a.ended && pair.b.ended);
    EXPECT_EQ(pair.a.fault, LinkFault::kNone);
    EXPECT_EQ(pair.b.fault, LinkFault::kNone);
}

TEST(Tcpclv4Session, KeepAlivesHoldAnIdleSession) {
    SessionConfig active = config_of(SessionRole::kActive);
    SessionConfig passive = config_of(SessionRole::kPassive);
    active.keep_alive = seconds(10);
    passive.keep_alive = seconds(4);
    CorePair pair = pair_of(active, passive);
    pair.connect();
    pair.run_timers(at(100'000));
    EXPECT_FALSE(pair.a.ended || pair.b.ended);
    EXPECT_NEAR(static_cast<double>(pair.to_a.written()), 6 + 25 + 7 + 25, 1);
    // One side falls silent.
    pair.to_a.cut_after(pair.to_a.written());
    pair.b.core->handle_pause(true);
    EXPECT_FALSE(pair.a.departed(ProtocolDeviation::kKeepAliveUnexpected));
}

TEST(Tcpclv4Session, AnIdlePeerIsLeftAfterTwoIntervals) {
    SessionConfig config = config_of(SessionRole::kPassive);
    config.keep_alive = seconds(10);
    Played played(config, 1000, 1000, 3);
    EXPECT_EQ(played.host.core->next_timeout(), at(3000));
    played.host.timeout(at(3000));
    EXPECT_EQ(to_hex(played.host.drain(at(3000))), "04");
    played.host.timeout(at(5999));
    EXPECT_FALSE(played.host.ended);
    played.host.timeout(at(6000));
    EXPECT_EQ(to_hex(played.host.drain(at(6000))), "050001");
    EXPECT_EQ(played.host.fault, LinkFault::kIdleTimeout);
}

TEST(Tcpclv4Session, APausedSessionDoesNotTakeItsPeerForIdle) {
    SessionConfig config = config_of(SessionRole::kPassive);
    config.keep_alive = seconds(3);
    Played played(config, 1000, 1000, 3);
    played.host.core->handle_pause(true);
    EXPECT_FALSE(played.host.core->wants_read());
    for (int second = 3; second < 60; second += 3) played.host.timeout(at(second * 1000));
    EXPECT_FALSE(played.host.ended);
}

TEST(Tcpclv4Session, APeerThatDoesNotAcknowledgeIsLeft) {
    Played played;
    played.host.send_all({octets_of(5, 1), octets_of(5, 2)}, played.now);
    (void)played.said();
    EXPECT_EQ(played.host.core->next_timeout(), at(60'000));
    played.now = at(50'000);
    played.handle(ack_octets(3, 0, 5));
    EXPECT_EQ(played.host.core->next_timeout(), at(110'000));
    played.handle(Bytes{4});  // a keepalive is no progress
    played.host.timeout(at(110'000));
    EXPECT_EQ(played.host.fault, LinkFault::kUnresponsive);
    EXPECT_EQ(played.said_hex(), "050005");
    EXPECT_EQ(played.host.transmitted, 1U);
}

TEST(Tcpclv4Session, APeerThatReadsNoAnswersIsLeft) {
    Played played;
    const Bytes start = segment_octets(kSegmentStart, 0, {});
    const Bytes middle = segment_octets(0, 0, {});
    Bytes flood;
    for (int i = 0; i < 10'000; ++i) append(flood, middle);
    played.handle(start);
    for (int i = 0; i < 500 && !played.host.ended; ++i) played.handle(flood);
    EXPECT_EQ(played.host.fault, LinkFault::kUnresponsive);
}

// RFC 9174 section 6.1, table 8.
TEST(Tcpclv4Session, TellsAnIdlePeerWhyItEnds) {
    Played idle;
    idle.host.terminate(idle.now, LinkFault::kIdleTimeout);
    EXPECT_EQ(idle.said_hex(), "050001");
    Played wanted;
    wanted.host.terminate(wanted.now);
    EXPECT_EQ(wanted.said_hex(), "050000");
}

TEST(Tcpclv4Session, EndsOnceAndThenDoesNothing) {
    Played played;
    played.handle(segment_octets(3, 0, octets_of(5, 1)));
    played.host.send(octets_of(100'000, 1), played.now);
    played.host.peer_closed(played.now);
    EXPECT_EQ(played.host.fault, LinkFault::kPeerClosed);
    EXPECT_EQ(played.said_hex(), "");  // nothing refers to the bundle
    SessionCore &core = *played.host.core;
    core.handle_disposition(0, 1, TransferDisposition::kSafe, played.now);
    core.handle_send({}, played.now);
    core.handle_terminate(LinkFault::kNone, played.now);
    core.handle_peer_closed(played.now);
    core.handle_identity(true, played.now);
    core.handle_pause(false);
    core.handle_timeout(played.now);
    EXPECT_FALSE(core.wants_read());
    EXPECT_EQ(core.transmit_credit(), 0U);
    EXPECT_EQ(core.next_timeout(), kNever);
    EXPECT_FALSE(core.prepare(played.host.buffer).empty());
    EXPECT_EQ(core.poll_event(), std::nullopt);
}

TEST(Tcpclv4Session, SaysNothingBehindASegmentThatIsCutShort) {
    Played played(config_of(SessionRole::kPassive), 100'000);
    played.host.send(octets_of(50'000, 1), played.now);
    (void)played.host.drain(played.now, 1000);
    played.handle(Bytes{0x2a});
    EXPECT_EQ(played.said_hex(), "");
    EXPECT_EQ(played.host.fault, LinkFault::kProtocolError);
}

TEST(Tcpclv4Session, ARejectedSegmentEndsTheSession) {
    Played played;
    played.handle(test::from_hex("060302"));
    EXPECT_FALSE(played.host.ended);
    played.handle(test::from_hex("060201"));
    EXPECT_EQ(played.said_hex(), "050000");
    EXPECT_EQ(played.host.fault, LinkFault::kProtocolError);
}

TEST(Tcpclv4Session, OctetsThatComeBeforeThePeerIsAcceptedAreKept) {
    CoreHost host(session_of(config_of(SessionRole::kPassive)));
    host.identify_at_once = false;
    host.core->handle_connected(at(0));
    SessionInit init;
    init.segment_mru = init.transfer_mru = 1000;
    host.feed(octets_of_message(ContactHeader{}) + octets_of_message(init), at(0));
    EXPECT_FALSE(host.core->wants_read());
    const Bytes segment = segment_octets(3, 0, octets_of(50, 1));
    host.feed(ByteView(segment).first(40), at(0));
    host.core->handle_identity(true, at(0));
    host.handle_events(at(0));
    host.feed(ByteView(segment).subspan(40), at(0));
    EXPECT_EQ(host.received, std::vector<Bytes>{octets_of(50, 1)});
}

// For a peer without refusals: the session ends, and no refusal is sent.
TEST(Tcpclv4Session, EndsForWantOfRoomWhereThatIsSaid) {
    for (const bool acknowledged : {true, false}) {
        SessionConfig config = config_of(SessionRole::kPassive);
        config.disconnect_without_room = true;
        config.max_unacknowledged = acknowledged ? config.max_unacknowledged : 10;
        CorePair pair = pair_of(config_of(SessionRole::kActive), config);
        pair.connect();
        pair.run();
        ASSERT_TRUE(pair.a.established && pair.b.established);
        // While it waits for an answer it reads on.
        if (!acknowledged) pair.b.send_all({octets_of(10, 3)}, pair.now);
        pair.run();
        if (!acknowledged) pair.b.core->handle_pause(true);
        // The first is beyond max_unacknowledged when it has come, the second before.
        const std::vector<Bytes> bundles{octets_of(1000, 1), octets_of(1000, 2)};
        pair.a.send_all(bundles, pair.now);
        pair.run();
        EXPECT_EQ(pair.b.ended, !acknowledged);
        if (acknowledged) {
            pair.b.acknowledge(0, 1, TransferDisposition::kNoResources, pair.now);
            pair.run();
        }
        EXPECT_TRUE(pair.b.ended);
        EXPECT_EQ(pair.b.fault, LinkFault::kNoRoom);
        EXPECT_EQ(pair.a.transmitted, 0U) << "the bundle stays with its sender";
    }
}

}  // namespace
}  // namespace farlink::cla::tcpclv4::session_test
