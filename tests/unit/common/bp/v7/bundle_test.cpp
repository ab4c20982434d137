// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "common/bp/fragment.hpp"
#include "common/bp/v7/bundle.hpp"

namespace farlink::bp::v7::bundle_test {
namespace {

constexpr std::uint8_t kHello[] = {'H', 'e', 'l', 'l', 'o'};

Bytes example(std::uint64_t flags) {
    PrimaryFields primary;
    primary.flags = flags;
    primary.destination = ipn_eid(20, 2);
    primary.source = ipn_eid(10, 1);
    Builder builder(primary);
    builder.add_block(192, 0, CrcType::kCrc16, kHello);
    return std::move(builder).finish(kHello, CrcType::kCrc16);
}

TEST(V7Bundle, FragmentsOfFragmentsKeepTheirPlace) {
    const auto parts = fragment(*decode(example(0)), 2);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->first.blocks.size(), 2U);
    EXPECT_EQ(parts->second.blocks.size(), 1U);
    const auto again = fragment(parts->second, 1);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->second.fragment_offset, 3U);
    EXPECT_EQ(again->second.total_adu_length, 5U);
    EXPECT_EQ(again->second.payload().crc_type, CrcType::kCrc16);
    EXPECT_TRUE(decode(encode(again->second)));
}

TEST(V7Bundle, SomeBundlesAreNotFragmented) {
    EXPECT_FALSE(bp::fragment(example(kMustNotFragment), 2));
    EXPECT_FALSE(bp::fragment(example(0), 0));
    EXPECT_FALSE(bp::fragment(example(0), 5));
    EXPECT_FALSE(bp::fragment({}, 1));
    EXPECT_TRUE(bp::fragment(example(0), 4));
}

TEST(V7Bundle, IsNotReadFromAnotherVersion) {
    const Bytes old{0x06, 0x00};
    EXPECT_FALSE(decode(old));
}

}  // namespace
}  // namespace farlink::bp::v7::bundle_test
