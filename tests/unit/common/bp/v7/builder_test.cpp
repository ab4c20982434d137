// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "common/bp/v7/builder.hpp"
#include "common/bp/v7/bundle.hpp"
#include "tests/support/hex.hpp"

namespace farlink::bp::v7::builder_test {
namespace {

PrimaryFields example() {
    PrimaryFields primary;
    primary.destination = ipn_eid(20, 2);
    primary.source = ipn_eid(10, 1);
    primary.report_to = ipn_eid(10, 0);
    primary.creation_time_ms = 757000000123;
    primary.sequence = 7;
    primary.lifetime_ms = 1000000000000;
    return primary;
}

TEST(V7Builder, MakesThePublishedBundle) {
    constexpr std::uint8_t kHello[] = {'H', 'e', 'l', 'l', 'o', ',', ' ', 'D', 'T', 'N', '!'};
    EXPECT_EQ(test::to_hex(Builder(example()).finish(kHello)),
              "9f8907000282028214028202820a018202820a00821b000000b040b7527b071b000000e8d4a5100044a1"
              "7853d486010100024b48656c6c6f2c2044544e214486b4d98cff");
}

TEST(V7Builder, StaysBelowItsBound) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const std::string name = "//" + std::string(300, 'n') + "/";
    PrimaryFields primary;
    primary.flags = kMost;
    primary.destination = ipn_eid(kMost, kMost);
    primary.source = {EidScheme::kDtn, 0, 0, name};
    primary.report_to = ipn_eid(kMost, kMost);
    primary.creation_time_ms = primary.sequence = primary.lifetime_ms = kMost;
    primary.fragment_offset = primary.total_adu_length = kMost;
    Bytes out(primary_bound(primary));
    EXPECT_LE(encode_primary(primary, out), out.size());
}

TEST(V7Builder, NumbersBlocksInOrder) {
    Builder builder(example());
    builder.add_hop_count(32);
    builder.add_block(192, 9, 0, CrcType::kCrc16, {});
    builder.add_bundle_age(5);
    const auto bundle = decode(std::move(builder).finish({}));
    ASSERT_TRUE(bundle);
    ASSERT_EQ(bundle->blocks.size(), 4U);
    EXPECT_EQ(bundle->blocks[0].number, 2U);
    EXPECT_EQ(bundle->blocks[1].number, 9U);
    EXPECT_EQ(bundle->blocks[2].number, 10U);
    EXPECT_TRUE(bundle->payload().data.empty());
}

}  // namespace
}  // namespace farlink::bp::v7::builder_test
