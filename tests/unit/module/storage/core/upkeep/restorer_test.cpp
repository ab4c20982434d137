// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/restorer.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::restorer_test {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

TEST(Restorer, RestoresWhatItHeldAndSaysSo) {
    SimDirectory directory;
    {
        Rig rig(directory);
        rig.store(bundles_numbered(1, 5));
        BundleSpec other = bundle_numbered(6);
        other.destination_node = 30;
        rig.store({other});
        rig.run_for(milliseconds(10));
        rig.drain();
        EXPECT_TRUE(rig.core().idle());
    }
    directory.close();
    RigOptions later;
    later.wall_ms = kRigStartMs + 60'000;  // the node was off for a minute
    Rig rig(directory, later);
    EXPECT_EQ(rig.ready, (Sequences{6}));
    ASSERT_EQ(rig.backlogs.size(), 2U);
    EXPECT_EQ(rig.backlogs[0].waiting + rig.backlogs[1].waiting, 6U);
    EXPECT_EQ(rig.backlogs[0].taken[0] + rig.backlogs[1].taken[0], 0U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3, 4, 5}));
    EXPECT_GE(rig.released[0].age, seconds(60));
    EXPECT_LT(rig.released[0].age, seconds(61));
    EXPECT_EQ(rig.count(StorageCounter::kRestored), 6U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 1U);
}

}  // namespace
}  // namespace farlink::test::restorer_test
