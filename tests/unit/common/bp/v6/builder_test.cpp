// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "common/bp/v6/builder.hpp"
#include "common/bp/v6/bundle.hpp"
#include "tests/support/hex.hpp"

namespace farlink::bp::v6::builder_test {
namespace {

constexpr std::uint8_t kHello[] = {'H', 'e', 'l', 'l', 'o', ',', ' ', 'D', 'T', 'N', '!'};

TEST(V6Builder, MakesThePublishedBundle) {
    PrimaryFields primary;
    primary.flags = kSingletonDestination | priority_flags(Priority::kNormal);
    primary.destination = ipn_eid(20, 2);
    primary.source = ipn_eid(10, 1);
    primary.report_to = ipn_eid(10, 0);
    primary.creation_time_s = 757000000;
    primary.sequence = 3;
    primary.lifetime_s = 1000000000;
    Builder builder(primary);
    builder.add_block(kPayloadBlock, 0, kHello);
    EXPECT_EQ(test::to_hex(std::move(builder).finish()),
              "0681101414020a010a00000082e8fbce400383dceb94000001080b48656c6c6f2c2044544e21");
}

TEST(V6Builder, WritesADictionaryWhenAnEndpointNeedsOne) {
    PrimaryFields primary;
    primary.destination = {EidScheme::kDtn, 0, 0, "//b/in"};
    primary.source = ipn_eid(10, 1);
    primary.report_to = {EidScheme::kDtn, 0, 0, "//b/in"};
    Builder builder(primary);
    builder.add_block(kPayloadBlock, 0, kHello);
    const auto bundle = decode(std::move(builder).finish());
    ASSERT_TRUE(bundle);
    EXPECT_EQ(bundle->destination().to_string(), "dtn://b/in");
    EXPECT_EQ(bundle->source().to_string(), "ipn:10.1");
    EXPECT_EQ(bundle->report_to(), bundle->destination());
    EXPECT_EQ(bundle->custodian().to_string(), "dtn:none");
    using namespace std::string_view_literals;
    EXPECT_EQ(as_text(bundle->dictionary),
              "dtn\0//b/in\0ipn\0"
              "10.1\0none\0"sv);
}

TEST(V6Builder, GoesOnWithADictionaryWithoutATerminator) {
    Dictionary dictionary(as_bytes("dtn"));
    EXPECT_EQ(dictionary.offset_of("dtn"), 0U);
    EXPECT_EQ(dictionary.offset_of("none"), 4U);
}

TEST(V6Builder, StaysBelowItsBound) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const std::string name = "//" + std::string(300, 'n') + "/";
    PrimaryFields primary;
    primary.flags = kMost;
    primary.destination = ipn_eid(kMost, kMost);
    primary.source = {EidScheme::kDtn, 0, 0, name};
    primary.report_to = ipn_eid(kMost - 1, kMost);
    primary.custodian = ipn_eid(kMost - 2, kMost);
    primary.creation_time_s = primary.sequence = primary.lifetime_s = kMost;
    primary.fragment_offset = primary.total_adu_length = kMost;
    Bytes out(primary_bound(primary));
    EXPECT_LE(encode_primary(primary, out), out.size());
}

TEST(V6Builder, MarksOnlyTheLastBlockAsLast) {
    Builder builder(PrimaryFields{});
    builder.add_block(222, kLastBlock | kReplicateBlock, kHello);
    builder.add_block(kPayloadBlock, 0, kHello);
    Bytes octets = std::move(builder).finish();
    // An anonymous bundle must not be fragmented (RFC 5050 section 4.2).
    octets[1] |= kMustNotFragment;
    const auto bundle = decode(octets);
    ASSERT_TRUE(bundle);
    EXPECT_EQ(bundle->blocks[0].flags, kReplicateBlock);
    EXPECT_EQ(bundle->blocks[1].flags, kLastBlock);
}

}  // namespace
}  // namespace farlink::bp::v6::builder_test
