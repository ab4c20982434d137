// SPDX-License-Identifier: Apache-2.0
// The order in which bundles are read.
#include "module/storage/core/release/read_scheduler.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::read_scheduler_test {
namespace {

using Sequences = std::vector<std::uint64_t>;

TEST(ReadScheduler, HigherPriorityLeavesFirst) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec bulk = bundle_numbered(1), normal = bundle_numbered(2),
               expedited = bundle_numbered(3);
    bulk.priority = Priority::kBulk;
    expedited.priority = Priority::kExpedited;
    rig.store({bulk, normal, expedited});
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{3, 2, 1}));
    EXPECT_EQ(rig.released[0].priority, Priority::kExpedited);
}

TEST(ReadScheduler, AnOlderArrivalThatComesLateTakesItsPlace) {
    SimDirectory directory;
    Rig rig(directory);
    std::uint64_t arrival = 0;
    for (const std::uint64_t place : {50, 60, 10, 55, 20, 70, 15}) {
        BundleSpec late = bundle_numbered(++arrival);
        late.arrival = place;
        rig.store({late});
        rig.run_for(milliseconds(10));
    }
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{3, 7, 5, 1, 4, 2, 6}));
}

}  // namespace
}  // namespace farlink::test::read_scheduler_test
