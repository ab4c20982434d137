// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/storage_core.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::storage_core_test {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

TEST(StorageCore, SentBundlesDoNotComeBack) {
    SimDirectory directory;
    {
        Rig rig(directory);
        rig.store(bundles_numbered(1, 5));
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
        rig.run_for(seconds(2));
        EXPECT_EQ(rig.released.size(), 5U);
    }
    directory.crash(1);
    Rig rig(directory);
    EXPECT_EQ(rig.ready, (Sequences{0}));
}

TEST(StorageCore, AnUnreadableBundleIsNamedAndNeverSent) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store(bundles_numbered(1, 3));
    rig.run_for(milliseconds(10));
    Bytes &content = directory.content(1);
    const std::uint64_t second = 4096 + record_bytes(17, encode(bundle_numbered(1)).size());
    content[second + 150] ^= 1;
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 3}));
    EXPECT_EQ(rig.count(StorageCounter::kDeletedUnreadable), 1U);
    const auto named = rig.core().figures().poll_unreadable();
    ASSERT_TRUE(named.has_value());
    EXPECT_EQ(named->at.offset, second);
    EXPECT_FALSE(rig.core().figures().poll_unreadable().has_value());
    EXPECT_EQ(rig.core().figures().held(), 1U);
    EXPECT_EQ(rig.backlogs.size(), 1U);
    // It does not count as held against a new copy.
    rig.store({bundle_numbered(2)});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(2), Outcome::kStored);
}

}  // namespace
}  // namespace farlink::test::storage_core_test
