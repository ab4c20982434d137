// SPDX-License-Identifier: Apache-2.0
// Two sessions and a connection that splits, delays, stalls and breaks.
#include <gtest/gtest.h>

#include <set>

#include "cla/tcpcl/v3/core/session.hpp"
#include "tests/support/core_pair.hpp"

namespace farlink::cla::tcpclv3::session_pair_test {
namespace {

using test::CoreHost;
using test::CorePair;
using test::octets_of;

std::unique_ptr<Session> random_session(Random &random, SessionRole role) {
    constexpr std::uint64_t kSegments[] = {7, 100, 1000, 5000, 100'000};
    SessionConfig config;
    config.role = role;
    config.node_id = role == SessionRole::kActive ? "ipn:1.0" : "dtn://two/";
    config.keep_alive = seconds(10);
    config.transfer_mru = 60'000;
    config.max_segment = kSegments[random.below(5)];
    config.max_unacknowledged = 20'000;
    config.max_unsent = 1 + random.below(50'000);
    config.max_transfers = static_cast<std::uint32_t>(1 + random.below(20));
    config.handshake_limit = config.termination_limit = seconds(10);
    config.acknowledge_limit = seconds(60);
    return std::make_unique<Session>(config, UpstreamId{1});
}

test::PipeWeather random_weather(Random &random) {
    test::PipeWeather weather;
    weather.longest_piece = random.chance(1, 2) ? 20 : 5000;
    weather.longest_delay = milliseconds(random.below(5));
    weather.stalls_per_mille = random.chance(1, 3) ? 5 : 0;
    weather.capacity = random.chance(1, 3) ? 1000 : 100'000;
    return weather;
}

/// The bundles that a host sends, again when they are refused.
struct Flow {
    Flow(CoreHost &sender, CoreHost &receiver) : from(sender), to(receiver) {}

    void make_bundles(std::size_t count, Random &random) {
        constexpr std::size_t kBounds[] = {20, 200, 3000, 20'000};
        while (count-- > 0)
            bundles.push_back(octets_of(1 + random.below(kBounds[random.below(4)]), random.next()));
    }
    void send(TimePoint now, std::size_t slices = 2) {
        note();
        while (from.established && !from.ended && from.core->transmit_credit() > 0) {
            std::size_t which = begun;
            if (which < bundles.size()) {
                ++begun;
            } else if (!again.empty()) {
                which = again.back();
                again.pop_back();
            } else {
                return;
            }
            on_the_way[from.next_token] = which;
            from.send(bundles[which], now, slices);
        }
    }
    /// The answer of the host to the events of its session.
    void note() {
        for (const auto &[token, refusal] : from.refused) {
            const auto found = on_the_way.find(token);
            if (found == on_the_way.end()) continue;
            again.push_back(found->second);
            on_the_way.erase(found);
        }
        while (!on_the_way.empty() && on_the_way.begin()->first < from.transmitted) {
            across.insert(on_the_way.begin()->second);
            on_the_way.erase(on_the_way.begin());
        }
    }
    /// Every bundle that the sender may forget is safe with the receiver, as it was.
    void expect_kept() {
        note();
        for (const std::size_t which : across) {
            const auto found = std::ranges::find(to.received, bundles[which]);
            ASSERT_NE(found, to.received.end());
        }
    }
    [[nodiscard]] bool done() const { return across.size() == bundles.size(); }

    CoreHost &from;
    CoreHost &to;
    std::vector<Bytes> bundles;
    std::size_t begun = 0;
    std::map<std::uint64_t, std::size_t> on_the_way;  ///< token: which of `bundles`
    std::set<std::size_t> across;                     ///< acknowledged
    std::vector<std::size_t> again;                   ///< refused
};

struct Exchange {
    explicit Exchange(std::uint64_t seed)
        : random(seed),
          pair(random_session(random, SessionRole::kActive),
               random_session(random, SessionRole::kPassive), seed, random_weather(random)) {
        pair.a.acknowledge_at_once = pair.b.acknowledge_at_once = true;
        pair.connect();
    }
    void step(Duration time) {
        there.send(pair.now, 1 + random.below(3));
        back.send(pair.now, 1 + random.below(3));
        pair.run_timers(pair.now + time);
        there.note();
        back.note();
    }
    [[nodiscard]] bool done() const { return there.done() && back.done(); }
    [[nodiscard]] bool over() const { return pair.a.ended || pair.b.ended; }
    [[nodiscard]] std::string faults() const {
        return std::string(to_string(pair.a.fault)) + ", " + std::string(to_string(pair.b.fault));
    }

    Random random;
    CorePair pair;
    Flow there{pair.a, pair.b};
    Flow back{pair.b, pair.a};
};

TEST(SessionPair, BundlesGetAcrossBothWays) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        Exchange run(seed);
        run.there.make_bundles(15, run.random);
        run.back.make_bundles(15, run.random);
        for (int i = 0; i < 20'000 && !run.done() && !run.over(); ++i) run.step(milliseconds(10));
        ASSERT_TRUE(run.done()) << run.faults();
        EXPECT_EQ(run.pair.b.received, run.there.bundles);
        EXPECT_EQ(run.pair.a.received, run.back.bundles);
        EXPECT_EQ(run.pair.a.pool.pinned_bytes(), 0U);

        run.pair.a.terminate(run.pair.now);
        run.pair.run_timers(run.pair.now + seconds(5));
        EXPECT_TRUE(run.pair.a.ended && run.pair.b.ended);
        EXPECT_EQ(run.pair.a.fault, LinkFault::kNone);
        EXPECT_EQ(run.pair.b.fault, LinkFault::kPeerTerminated);
        EXPECT_EQ(run.pair.a.count(CoreHost::Kind::kDeparture), 0U);
        EXPECT_EQ(run.pair.b.count(CoreHost::Kind::kDeparture), 0U);
    }
}

/// A host that acknowledges late, refuses some, pauses, and has no memory at times.
struct Mood {
    explicit Mood(CoreHost &moody) : host(moody) { host.acknowledge_at_once = false; }

    void change(Random &random, bool calm, TimePoint now) {
        switch (calm ? 0 : random.below(6)) {
            case 1:
                host.core->handle_pause(true);
                break;
            case 2:
                while (SlabRef slab = host.pool.acquire()) hoard.push_back(slab);
                break;
            case 3:
                if (acknowledged < host.received.size())
                    host.acknowledge(acknowledged, 1, TransferDisposition::kNoResources, now),
                        ++acknowledged;
                break;
            default:
                hoard.clear();
                host.core->handle_pause(false);
                const auto count = static_cast<std::uint32_t>(host.received.size() - acknowledged);
                if (count > 0)
                    host.acknowledge(acknowledged, count, TransferDisposition::kSafe, now);
                acknowledged += count;
        }
    }
    CoreHost &host;
    std::uint64_t acknowledged = 0;
    std::vector<SlabRef> hoard;
};

TEST(SessionPair, RefusalsPausesAndShortagesLoseNothing) {
    std::size_t refused = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Exchange run(seed);
        run.there.make_bundles(15, run.random);
        run.back.make_bundles(15, run.random);
        Mood a(run.pair.a);
        Mood b(run.pair.b);
        for (int i = 0; i < 20'000 && !run.done() && !run.over(); ++i) {
            Mood &mood = run.random.chance(1, 2) ? a : b;
            if (!mood.host.ended) mood.change(run.random, i > 2000, run.pair.now);
            run.step(milliseconds(run.random.below(10)));
        }
        ASSERT_TRUE(run.done()) << run.faults();
        run.there.expect_kept();
        run.back.expect_kept();
        refused += run.pair.a.refused.size() + run.pair.b.refused.size();
    }
    EXPECT_GT(refused, 100U);
}

// The connection breaks behind every octet: what is acknowledged has arrived, and the session lets
// go of everything.
TEST(SessionPair, CutAnywhereNothingThatWasPromisedIsMissing) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        bool whole = false;
        for (std::uint64_t cut = 0; !whole; ++cut) {
            SCOPED_TRACE(cut);
            Exchange run(seed);
            for (Flow *flow : {&run.there, &run.back})
                for (const std::size_t size : {1U, 150U, 40U})
                    flow->bundles.push_back(octets_of(size, size));
            (seed % 2 == 0 ? run.pair.to_a : run.pair.to_b).cut_after(cut);
            for (int i = 0; i < 300 && !run.done() && !run.over(); ++i) run.step(milliseconds(100));
            whole = run.done();
            run.pair.break_off();
            ASSERT_TRUE(run.pair.a.ended && run.pair.b.ended);
            for (CoreHost *host : {&run.pair.a, &run.pair.b}) {
                (void)host->drain(run.pair.now);
                host->buffer.rest();
                ASSERT_EQ(host->pool.pinned_bytes(), 0U);
            }
            run.there.expect_kept();
            run.back.expect_kept();
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::session_pair_test
