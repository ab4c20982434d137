// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/duplicates.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::duplicates_test {
namespace {

using storage::StorageCounter;

// RFC 9171 section 4.2.3: they have no identity.
TEST(Duplicates, BundlesWithoutASourceAreNoDuplicates) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec anonymous;
    anonymous.source_node = 0;
    rig.store({anonymous, anonymous});
    rig.store({anonymous});
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 3U);
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 0U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released.size(), 3U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

BundleSpec record_numbered(std::uint64_t sequence) {
    BundleSpec made = bundle_numbered(sequence);
    made.record = true;
    return made;
}

// Some nodes give all their records of one second the same creation timestamp.
TEST(Duplicates, AdministrativeRecordsAreNoDuplicates) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({record_numbered(1), record_numbered(1)});  // while the first is being written
    rig.store({record_numbered(1)});
    rig.run_for(milliseconds(50));
    rig.store({record_numbered(1)});
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 4U);
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 0U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released.size(), 4U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(Duplicates, AdministrativeRecordsAllSurviveARestart) {
    SimDirectory directory;
    {
        Rig rig(directory);
        rig.store({record_numbered(1), record_numbered(1), record_numbered(1)});
        rig.run_for(milliseconds(50));
    }
    directory.close();
    Rig rig(directory);
    EXPECT_EQ(rig.count(StorageCounter::kRestored), 3U);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released.size(), 3U);
}

// It may be lent when it comes again: neither stands for the other.
TEST(Duplicates, AnAdministrativeRecordThatIsLentDoesNotAbsorbAnother) {
    SimDirectory directory;
    Rig rig(directory);
    rig.send_at_once = false;
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.store({record_numbered(1)});
    rig.run_for(milliseconds(50));
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.store({record_numbered(1)});
    rig.run_for(milliseconds(50));
    while (!rig.lent.empty()) rig.set_outcome(0, Outcome::kSent);
    rig.run_for(milliseconds(50));
    EXPECT_EQ(rig.released.size(), 2U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 0U);
}

TEST(Duplicates, ADuplicateIsSafeWhenItsFirstCopyIs) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({bundle_numbered(1), bundle_numbered(2)});
    rig.store({bundle_numbered(1)});
    EXPECT_EQ(rig.outcome(1), Outcome::kPending);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
    EXPECT_EQ(rig.outcome(2), Outcome::kStored);
    rig.store({bundle_numbered(2)});
    EXPECT_EQ(rig.outcome(2), Outcome::kDuplicate);
    EXPECT_EQ(rig.count(StorageCounter::kDuplicates), 2U);
    EXPECT_EQ(rig.core().figures().held(), 2U);
}

TEST(Duplicates, ADuplicateFailsWithItsFirstCopy) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({bundle_numbered(9)});
    rig.run_for(milliseconds(10));
    rig.store({bundle_numbered(1)});
    rig.store({bundle_numbered(1)});
    directory.faults().fail_at(1, storage::FileError::kIo);  // the flush
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kIoError);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.store({bundle_numbered(1)});
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_GE(rig.count(StorageCounter::kIoErrors), 1U);
}

TEST(Duplicates, ADuplicateIsKnownAfterARestart) {
    SimDirectory directory;
    {
        Rig rig(directory);
        rig.store({bundle_numbered(1)});
        rig.run_for(milliseconds(10));
    }
    directory.crash(3);
    Rig rig(directory);
    rig.store({bundle_numbered(1)});
    EXPECT_EQ(rig.outcome(1), Outcome::kDuplicate);
}

}  // namespace
}  // namespace farlink::test::duplicates_test
