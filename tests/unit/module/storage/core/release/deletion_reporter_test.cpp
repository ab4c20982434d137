// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/deletion_reporter.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::deletion_reporter_test {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

TEST(DeletionReporter, ExpiredBundlesAreDeletedAndReported) {
    SimDirectory directory;
    RigOptions options;
    options.reports = true;
    Rig rig(directory, options);
    BundleSpec brief = bundle_numbered(1);
    brief.created = kRigStartMs;
    brief.lifetime_ms = 1000;
    BundleSpec reported = brief;
    reported.sequence = 2;
    reported.report_deletion = true;
    rig.store({brief, reported, bundle_numbered(3)});
    rig.run_for(milliseconds(900));
    EXPECT_EQ(rig.core().figures().held(), 3U);
    rig.run_for(milliseconds(300));
    EXPECT_EQ(rig.core().figures().held(), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 2U);
    ASSERT_EQ(rig.reports.size(), 1U);
    EXPECT_EQ(rig.reports[0].event, bus::ReportEvent::kDeleted);
    EXPECT_EQ(rig.reports[0].reason, 1);
    EXPECT_EQ(rig.reports[0].payload_length, 100U);
    const Bytes whole = encode(reported);
    EXPECT_TRUE(std::equal(rig.reports[0].head.begin(), rig.reports[0].head.end(), whole.begin()));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{3}));
}

}  // namespace
}  // namespace farlink::test::deletion_reporter_test
