// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/file_scan.hpp"

#include <gtest/gtest.h>

#include "module/storage/disk/record_number.hpp"

namespace farlink::storage::file_scan_test {
namespace {

TEST(FileScan, DamageIsNamedByFilePlaceAndRecord) {
    Damage damage{DamageKind::kFileHeader, 21, 0, 0};
    EXPECT_EQ(words_of(damage), "log file 21: header damaged");
    damage.kind = DamageKind::kMissing;
    EXPECT_EQ(words_of(damage), "log file 21 is missing");
    damage.kind = DamageKind::kUnflushed;
    EXPECT_EQ(words_of(damage), "log file 21 cannot be flushed");
    damage.offset = 4096;
    damage.kind = DamageKind::kTorn;
    EXPECT_EQ(words_of(damage), "log file 21 at offset 4096: the last write is incomplete");
    damage.kind = DamageKind::kHeader;
    EXPECT_EQ(words_of(damage), "log file 21 at offset 4096: record header damaged");
    damage.kind = DamageKind::kPayload;
    damage.number = 7;
    EXPECT_EQ(words_of(damage), "log file 21 at offset 4096: record payload of record " +
                                    name_of(damage.number) + " damaged");
}

}  // namespace
}  // namespace farlink::storage::file_scan_test
