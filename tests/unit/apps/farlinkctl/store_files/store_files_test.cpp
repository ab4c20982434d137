// SPDX-License-Identifier: Apache-2.0
// What names no record, and folders that are no store; the rest is in
// tests/integration/farlinkctl_store_test.cpp.
#include "apps/farlinkctl/store_files/store_files.hpp"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.hpp"

namespace farlink::ctl::store_files_test {
namespace {

TEST(StoreFiles, ARecordIsNamedByItsFileAndItsPlace) {
    EXPECT_EQ(parse_record("3:7"), storage::make_record_number(3, 7));
    for (const char *wrong : {"", ":", "3", "3:", ":7", "0:7", "3:0", "3:7x", "x:7", "-3:7", "3: 7",
                              "3:7:1", "4294967296:1", "1:4294967296"})
        EXPECT_FALSE(parse_record(wrong)) << wrong;
}

TEST(StoreFiles, AFolderWithoutAStoreIsNamed) {
    const test::TempFolder folder;
    const std::string empty = folder.path().string();
    const auto nothing = StoreFiles::open(empty);
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.error(), empty + ": contains no store");
    const auto missing = StoreFiles::open(folder / "missing");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error(), folder / "missing" + ": no such folder");
    folder.write("file", "no folder");
    EXPECT_FALSE(StoreFiles::open(folder / "file"));
}

}  // namespace
}  // namespace farlink::ctl::store_files_test
