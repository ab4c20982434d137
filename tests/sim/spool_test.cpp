// SPDX-License-Identifier: Apache-2.0
// Bundles that no node has in memory as a whole: they are stored while they arrive and read while
// they leave. Links end in the midst, nodes are killed, and the ledgers balance.
#include <gtest/gtest.h>

#include "tests/sim/two_nodes.hpp"

namespace farlink::sim::spool_test {
namespace {

constexpr Flow kLarge{100, kSinkNode.value(), 1};
constexpr Flow kSmall{100, kSinkNode.value(), 2};
constexpr std::uint64_t kLargeBytes = 300'000;

/// Source, two nodes, sink. The nodes have 20,000 bytes of a bundle in memory at most.
struct Row : TwoNodes {
    explicit Row(std::uint64_t seed, const LinkOptions &options = {.rate = BitRate{80'000'000}})
        : TwoNodes(seed, spooling(), spooling()) {
        LinkOptions to_sink = options;
        to_sink.max_transfers = 0;
        start(options, to_sink);
    }
    [[nodiscard]] static NodeOptions spooling() {
        NodeOptions node;
        node.spool_above = 20'000;
        return node;
    }
    void expect_all(std::uint64_t bundles) {
        TwoNodes::expect_all(bundles);
        for (const SimNode *node : {first, second}) EXPECT_EQ(node->held(), 0U);
    }
};

TEST(Spool, LargeBundlesPassBesideSmallOnes) {
    Row row(1);
    row.source->send(kLarge, 20, kLargeBytes);
    row.source->send(kSmall, 1000, 500);
    row.expect_all(1020);
    EXPECT_EQ(row.sink->duplicates() + row.sink->out_of_order(), 0U);
    EXPECT_EQ(row.first->stored_total(), 20U) << "only the large ones are stored";
}

TEST(Spool, LinksThatEndInTheMidstBeginTheBundleAgain) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        Row row(seed, {.rate = BitRate{8'000'000}, .max_transfers = seed % 2 == 0 ? 64U : 0U});
        row.source->send(kLarge, 5, kLargeBytes);
        row.source->send(kSmall, 200, 500);
        Random random(seed);
        for (int cut = 0; cut < 6; ++cut) {
            row.world.clock.run_for(milliseconds(50 + random.below(500)));
            SimLink *const link = random.below(2) == 0 ? row.middle : row.last;
            link->set_wire(false);
            row.world.clock.run_for(milliseconds(random.below(300)));
            link->set_wire(true);
        }
        row.world.clock.run_for(seconds(2));  // both are connected again
        row.expect_all(205);
    }
}

TEST(Spool, KilledNodesLoseNothingThatWasAcknowledged) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Row row(seed, {.rate = BitRate{8'000'000}, .max_transfers = 64});
        row.source->send(kLarge, 5, kLargeBytes);
        Random random(seed);
        for (int life = 0; life < 4; ++life) {
            row.world.clock.run_for(milliseconds(100 + random.below(900)));
            row.second->kill();
            row.world.clock.run_for(milliseconds(50));
            row.second->start();
        }
        EXPECT_TRUE(row.world.run_until_quiet(seconds(600)));
        EXPECT_EQ(row.sink->arrived(), 5U);
        EXPECT_EQ(row.sink->malformed(), 0U);
        EXPECT_TRUE(row.second->ledger().balanced()) << row.second->ledger().to_table();
    }
}

}  // namespace
}  // namespace farlink::sim::spool_test
