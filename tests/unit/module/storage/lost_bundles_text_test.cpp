// SPDX-License-Identifier: Apache-2.0
#include "module/storage/lost_bundles_text.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::lost_bundles_text_test {
namespace {

Bytes label_of(std::uint64_t node) {
    Bytes label;
    encode_label(bp::ipn_eid(node, 1), label);
    return label;
}

constexpr RecordNumber kRecord = (RecordNumber{3} << 32) | 17;

TEST(LostBundlesText, NamesRecordDestinationAndSize) {
    LostBundlesText lost;
    lost.add(kRecord, 100, label_of(20));
    EXPECT_EQ(lost.words(1), "record 3:17 for ipn:20.1 (100 bytes)");
    lost.add(kRecord + 1, 5, {});
    EXPECT_EQ(lost.words(2), "record 3:17 for ipn:20.1 (100 bytes), record 3:18 (5 bytes)");
    EXPECT_TRUE(lost.words(9).ends_with(" and 7 more"));
    LostBundlesText unknown;
    unknown.add(kRecord, 0, {});
    EXPECT_EQ(unknown.words(1), "record 3:17");
    LostBundlesText of_disks;
    of_disks.add(kRecord, 100, {}, "left");
    EXPECT_EQ(of_disks.words(1), "left record 3:17 (100 bytes)");
}

TEST(LostBundlesText, NamesTheFirstTwenty) {
    LostBundlesText lost;
    for (RecordNumber at = 0; at < 50; ++at) lost.add(kRecord + at, 1, {});
    EXPECT_EQ(lost.words(50).find("record 3:37"), std::string::npos);
    EXPECT_NE(lost.words(50).find("record 3:36 (1 byte) and 30 more"), std::string::npos);
}

}  // namespace
}  // namespace farlink::storage::lost_bundles_text_test
