// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/remover.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::remover_test {
namespace {

using storage::StorageCounter;

TEST(Remover, ABundleThatExpiresWhileItIsLentIsDeletedWhenItComesBack) {
    SimDirectory directory;
    Rig rig(directory);
    rig.send_at_once = false;
    BundleSpec brief = bundle_numbered(1);
    brief.created = kRigStartMs;
    brief.lifetime_ms = 1000;
    rig.store({brief});
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(2));
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.set_outcome(0, Outcome::kNotSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
    EXPECT_EQ(rig.backlogs.size(), 1U);
}

TEST(Remover, ABundleThatExpiresWhileItIsWrittenIsDeletedAfterwards) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec brief = bundle_numbered(1);
    brief.created = kRigStartMs;
    brief.lifetime_ms = 1;
    rig.store({brief});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
}

}  // namespace
}  // namespace farlink::test::remover_test
