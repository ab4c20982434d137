// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/pending_writes.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::pending_writes_test {
namespace {

using storage::StorageCounter;

TEST(PendingWrites, OneFlushCoversAllThatCameDuringTheLast) {
    SimDirectory directory;
    Rig rig(directory);
    for (std::uint64_t sequence = 1; sequence <= 10; ++sequence)
        rig.store({bundle_numbered(sequence)});
    rig.run_for(milliseconds(20));
    for (std::uint64_t sequence = 1; sequence <= 10; ++sequence)
        EXPECT_EQ(rig.outcome(sequence), Outcome::kStored);
    EXPECT_EQ(rig.count(StorageCounter::kFlushes), 2U);
}

}  // namespace
}  // namespace farlink::test::pending_writes_test
