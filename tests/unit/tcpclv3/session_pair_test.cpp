// SPDX-License-Identifier: Apache-2.0
// Two sessions and a pipe between them that hands over as few octets as it likes.
#include <gtest/gtest.h>

#include <set>

#include "cla/tcpclv3/core/session.hpp"
#include "tests/support/core_node.hpp"

namespace farlink::cla::tcpclv3 {
namespace {

using test::CoreNode;
using test::octets_of;

SessionConfig pair_config(Random &random, SessionRole role) {
    constexpr std::uint64_t kSegments[] = {7, 100, 1000, 5000, 100'000};
    SessionConfig config;
    config.role = role;
    config.node_id = role == SessionRole::kActive ? "ipn:1.0" : "dtn://two/";
    config.keep_alive = seconds(10);
    config.transfer_mru = 60'000;
    config.max_segment = kSegments[random.below(5)];
    config.max_unsettled = 20'000;
    config.max_unsent = 1 + random.below(50'000);
    config.max_transfers = static_cast<std::uint32_t>(1 + random.below(20));
    config.handshake_limit = seconds(10);
    config.termination_limit = seconds(10);
    config.acknowledge_limit = seconds(10);
    return config;
}

/// One side: a node, the bundles that its host wants to get across, and what came of them.
struct Side {
    Side(const SessionConfig &config, std::uint32_t id, std::uint64_t memory)
        : node(std::make_unique<Session>(config, UpstreamId{id}), memory) {}

    CoreNode node;
    std::vector<Bytes> bundles;
    std::map<std::uint64_t, std::size_t> on_the_way;  ///< token: which of `bundles`
    std::set<std::size_t> across;                     ///< acknowledged
    std::vector<std::size_t> again;                   ///< refused
    Bytes pipe;                                       ///< towards the other side
    std::size_t begun = 0;
};

/// What the host of a side makes of what its session tells.
void note(Side &side) {
    for (const auto &[token, refusal] : side.node.refused) {
        const auto found = side.on_the_way.find(token);
        if (found == side.on_the_way.end()) continue;
        side.again.push_back(found->second);
        side.on_the_way.erase(found);
    }
    while (!side.on_the_way.empty() && side.on_the_way.begin()->first < side.node.done_below) {
        side.across.insert(side.on_the_way.begin()->second);
        side.on_the_way.erase(side.on_the_way.begin());
    }
}

struct Pair {
    explicit Pair(std::uint64_t seed, std::uint64_t memory = 64 * CoreNode::kSlab)
        : random(seed),
          a(pair_config(random, SessionRole::kActive), 1, memory),
          b(pair_config(random, SessionRole::kPassive), 2, memory) {
        for (Side *side : {&a, &b}) {
            constexpr std::size_t kBounds[] = {20, 200, 3000, 20'000};
            for (int i = 0; i < 15; ++i)
                side->bundles.push_back(
                    octets_of(1 + random.below(kBounds[random.below(4)]), random.next()));
        }
        a.node.connect(now);
        b.node.connect(now);
    }

    /// Moves some octets one way.
    void carry(Side &from, Side &to) {
        append(from.pipe, from.node.output(now, random.below(5000)));
        const std::size_t size =
            std::min<std::size_t>(from.pipe.size(), random.below(random.chance(1, 3) ? 20 : 9000));
        const std::size_t fed = to.node.feed(ByteView(from.pipe).first(size), now);
        from.pipe.erase(from.pipe.begin(), from.pipe.begin() + static_cast<std::ptrdiff_t>(fed));
        carried += fed;
    }
    void send(Side &side) {
        if (!side.node.established || side.node.ended) return;
        while (side.node.core().transmit_credit() > 0) {
            std::size_t which = side.begun;
            if (which == side.bundles.size()) {
                if (side.again.empty()) return;
                which = side.again.back();
                side.again.pop_back();
            } else {
                ++side.begun;
            }
            const std::uint64_t token = side.node.next_token();
            side.on_the_way[token] = which;
            side.node.send(side.bundles[which], now, 2 + random.below(3));
            if (random.chance(1, 3)) return;
        }
    }
    void step() {
        now += milliseconds(1);
        Side &side = random.chance(1, 2) ? a : b;
        Side &other = &side == &a ? b : a;
        switch (random.below(4)) {
            case 0:
                send(side);
                break;
            case 1:
                if (side.node.core().next_timeout() <= now) side.node.time_out(now);
                break;
            default:
                carry(side, other);
        }
        note(side);
        note(other);
    }
    [[nodiscard]] bool done() const {
        return a.across.size() == a.bundles.size() && b.across.size() == b.bundles.size();
    }
    [[nodiscard]] bool over() const { return a.node.ended || b.node.ended; }

    Random random;
    TimePoint now{seconds(1000)};
    Side a;
    Side b;
    std::uint64_t carried = 0;
};

/// Where a pair stands, for a failure's message.
std::string status_of(const Pair &pair) {
    std::string text;
    for (const Side *side : {&pair.a, &pair.b}) {
        text += std::to_string(side->across.size()) + " across, ";
        if (side->node.ended) text += "ended: " + std::string(to_string(side->node.ended->fault));
        text += "; ";
    }
    return text;
}

/// Every bundle that the sender may forget has arrived, as it was.
void expect_kept(const Side &from, const Side &to) {
    for (const std::size_t which : from.across)
        EXPECT_NE(std::ranges::find(to.node.received, from.bundles[which]), to.node.received.end());
}

TEST(SessionPair, BundlesGetAcrossBothWays) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        Pair pair(seed);
        for (int i = 0; i < 400'000 && !pair.done() && !pair.over(); ++i) pair.step();
        ASSERT_TRUE(pair.done()) << status_of(pair);
        EXPECT_EQ(pair.b.node.received, pair.a.bundles);
        EXPECT_EQ(pair.a.node.received, pair.b.bundles);
        EXPECT_EQ(pair.a.node.pool.pinned_bytes(), 0U);

        pair.a.node.terminate(pair.now);
        for (int i = 0; i < 10'000 && !(pair.a.node.ended && pair.b.node.ended); ++i) pair.step();
        ASSERT_TRUE(pair.a.node.ended && pair.b.node.ended);
        EXPECT_EQ(pair.a.node.ended->fault, LinkFault::kNone);
        EXPECT_EQ(pair.b.node.ended->fault, LinkFault::kPeerTerminated);
        EXPECT_TRUE(pair.a.node.departures.empty());
        EXPECT_TRUE(pair.b.node.departures.empty());
    }
}

// Hosts that say no now and then, that pause, and that have no memory for a while: each bundle gets
// across in the end, and none that was promised is missing.
TEST(SessionPair, RefusalsPausesAndShortagesLoseNothing) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        Pair pair(seed, 12 * CoreNode::kSlab);
        for (Side *side : {&pair.a, &pair.b}) side->node.settle_at_once = false;
        for (int i = 0; i < 400'000 && !pair.done() && !pair.over(); ++i) {
            Side &side = pair.random.chance(1, 2) ? pair.a : pair.b;
            const bool calm = i > 100'000;
            switch (pair.random.below(200)) {
                case 0:
                    side.node.core().handle_pause(!calm);
                    break;
                case 1:
                case 2:
                case 3:
                    side.node.core().handle_pause(false);
                    break;
                case 4:
                    side.node.keep_memory = !calm;
                    break;
                case 5:
                case 6:
                    side.node.keep_memory = false;
                    side.node.forget_memory();
                    break;
                case 7:
                case 8:
                case 9:
                case 10:
                    side.node.verdict = calm || pair.random.chance(2, 3) ? Settlement::kSafe
                                                                         : Settlement::kNoResources;
                    side.node.settle_all(pair.now);
                    break;
                default:
                    pair.step();
            }
        }
        ASSERT_TRUE(pair.done()) << status_of(pair);
        expect_kept(pair.a, pair.b);
        expect_kept(pair.b, pair.a);
    }
}

// The connection is cut after every number of octets: what is acknowledged has arrived, and a
// session lets go of everything (the node frees it at the end).
TEST(SessionPair, CutAnywhereNothingThatWasPromisedIsMissing) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        std::uint64_t end = ~std::uint64_t{0};
        for (std::uint64_t cut = 0; cut < end; cut += 1 + cut / 200) {
            Pair pair(seed);
            for (Side *side : {&pair.a, &pair.b}) side->bundles.resize(4);
            for (int i = 0; i < 400'000 && !pair.done() && pair.carried < cut; ++i) pair.step();
            if (pair.done()) end = pair.carried;
            for (Side *side : {&pair.a, &pair.b}) {
                if (!side->node.ended) side->node.peer_closed(pair.now);
                ASSERT_TRUE(side->node.ended);
                (void)side->node.output(pair.now);
                side->node.buffer.rest();
                EXPECT_EQ(side->node.pool.pinned_bytes(), 0U);
                note(*side);
            }
            expect_kept(pair.a, pair.b);
            expect_kept(pair.b, pair.a);
            if (testing::Test::HasFailure()) return;
        }
    }
}

}  // namespace
}  // namespace farlink::cla::tcpclv3
