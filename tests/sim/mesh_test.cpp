// SPDX-License-Identifier: Apache-2.0
// A network with several routes; the seed decides its contacts and cuts: no bundle is lost, and
// every ledger balances.
#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::mesh_test {
namespace {

constexpr std::uint64_t kNodes = 5;
constexpr std::uint64_t kChaosSeconds = 200;
constexpr std::uint64_t kBundles = 60;

/// Sinks and sources are numbered after their nodes.
constexpr std::uint64_t sink_of(std::uint64_t node) {
    return 200 + node;
}
constexpr std::uint64_t source_of(std::uint64_t node) {
    return 100 + node;
}

bus::Contact contact(std::uint64_t from, std::uint64_t to, DtnTime start_s, DtnTime end_s) {
    return {0,
            NodeNumber{from},
            NodeNumber{to},
            SimClock::kStartDtn + start_s * 1000,
            SimClock::kStartDtn + end_s * 1000,
            BitRate{},
            milliseconds(10)};
}

class Mesh : public ::testing::TestWithParam<std::uint64_t> {
protected:
    Mesh() : random_(GetParam()), world_(GetParam()) {
        draw_plan();
        build();
    }

    /// A ring, so that a route exists in the end, and chords; contacts are random first, and
    /// permanent after the chaos.
    void draw_plan() {
        for (std::uint64_t from = 1; from <= kNodes; ++from) {
            for (std::uint64_t to = 1; to <= kNodes; ++to) {
                const bool ring = to == from % kNodes + 1 || from == to % kNodes + 1;
                if (from == to || (!ring && random_.chance(1, 2))) continue;
                edges_.emplace_back(from, to);
                for (std::uint64_t at = random_.below(40); at < kChaosSeconds;) {
                    const std::uint64_t end = at + 1 + random_.below(30);
                    add(contact(from, to, at, end));
                    at = end + random_.below(40);
                }
                add(contact(from, to, kChaosSeconds, 100'000));
            }
            add(contact(from, sink_of(from), 0, 100'000));
        }
    }
    void add(bus::Contact next) {
        next.id = plan_.size();
        plan_.push_back(next);
    }

    void build() {
        NodeOptions options;
        options.plan = plan_;
        options.event_loss_ppm = 50'000;
        for (std::uint64_t number = 1; number <= kNodes; ++number) {
            options.number = NodeNumber{number};
            SimNode &node = world_.add_node(options);
            sinks_.push_back(&world_.add_sink());
            world_.connect(node, *sinks_.back(), NodeNumber{sink_of(number)});
            sources_.push_back(&world_.add_source(node));
        }
        for (const auto &[from, to] : edges_)
            wires_.push_back(&world_.connect(*world_.nodes()[from - 1], *world_.nodes()[to - 1]));
        world_.start();
    }

    void send_to_everyone() {
        for (std::uint64_t from = 1; from <= kNodes; ++from)
            for (std::uint64_t to = 1; to <= kNodes; ++to)
                sources_[from - 1]->send_paced({source_of(from), sink_of(to)}, kBundles, 400,
                                               milliseconds(1 + random_.below(3000)));
    }
    void break_wires() {
        while (world_.clock.now() < TimePoint{} + seconds(kChaosSeconds)) {
            SimLink &wire = *wires_[random_.below(wires_.size())];
            wire.set_wire(false);
            world_.clock.run_for(milliseconds(random_.below(3000)));
            wire.set_wire(true);
            world_.clock.run_for(milliseconds(random_.below(5000)));
        }
    }

    Random random_;
    SimWorld world_;
    std::vector<bus::Contact> plan_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> edges_;
    std::vector<SimSink *> sinks_;
    std::vector<SimSource *> sources_;
    std::vector<SimLink *> wires_;
};

TEST_P(Mesh, EveryBundleArrivesInSpiteOfRandomContactsAndCuts) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()));
    send_to_everyone();
    break_wires();
    world_.clock.run_for(seconds(60));
    ASSERT_TRUE(world_.run_until_quiet(seconds(60)));
    for (const SimSink *sink : sinks_) {
        EXPECT_EQ(sink->arrived(), kNodes * kBundles);
        EXPECT_EQ(sink->malformed(), 0U);
    }
    for (const auto &node : world_.nodes()) {
        EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
        EXPECT_EQ(node->held(), 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Mesh, ::testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace farlink::sim::mesh_test
