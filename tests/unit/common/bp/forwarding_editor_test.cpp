// SPDX-License-Identifier: Apache-2.0
#include "common/bp/forwarding_editor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "common/bp/parse.hpp"
#include "common/bp/v6/bundle.hpp"
#include "common/bp/v7/block_numbers.hpp"
#include "common/bp/v7/bundle.hpp"
#include "common/bp/v7/extension_data.hpp"

namespace farlink::bp::forwarding_editor_test {
namespace {

constexpr std::uint8_t kPayload[] = {'h', 'i'};
constexpr std::uint8_t kOldNode[] = {0x82, 0x02, 0x82, 0x0e, 0x00};
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// An age, the residence that is added to it, and what comes of it.
struct Ages {
    std::uint64_t before;
    std::uint64_t residence_ms;
    std::uint64_t after;
};

v7::Builder builder_v7() {
    v7::PrimaryFields primary;
    primary.destination = ipn_eid(20, 2);
    primary.source = ipn_eid(10, 1);
    primary.creation_time_ms = 757000000123;
    primary.lifetime_ms = 3600000;
    return v7::Builder(primary);
}

v6::Builder builder_v6() {
    v6::PrimaryFields primary;
    primary.destination = ipn_eid(20, 2);
    primary.source = ipn_eid(10, 1);
    primary.creation_time_s = 757000000;
    primary.lifetime_s = 3600;
    return v6::Builder(primary);
}

/// The bundle behind the next hop, or why there is none.
Result<Bytes, ParseError> forward(const Bytes &bundle, std::uint64_t residence_ms = 0,
                                  std::uint8_t hop_limit = 0) {
    const ByteView slice = bundle;
    const auto view = parse({&slice, 1});
    if (!view) return fail(view.error());
    const ForwardingEditor editor(ipn_eid(15, 0));
    const BundleHead head{slice.first(view->head_end), view->primary_end, view->version, hop_limit};
    Bytes out(editor.bound(head));
    const auto size = editor.render(head, residence_ms, out);
    if (!size) return fail(size.error());
    out.resize(*size);
    append(out, slice.subspan(view->head_end));
    return out;
}

v7::Bundle forwarded_v7(v7::Builder builder, std::uint64_t residence_ms = 0) {
    const auto out = forward(std::move(builder).finish(kPayload), residence_ms);
    EXPECT_TRUE(out);
    const auto bundle = v7::decode(out.value_or(Bytes{}));
    EXPECT_TRUE(bundle) << to_string(bundle.error());
    return bundle.value_or(v7::Bundle{});
}

TEST(TransitV7, InsertsThePreviousNodeBehindThePrimaryBlock) {
    const v7::Bundle bundle = forwarded_v7(builder_v7());
    ASSERT_EQ(bundle.blocks.size(), 2U);
    EXPECT_EQ(bundle.blocks[0].type, v7::kPreviousNodeBlock);
    EXPECT_EQ(bundle.blocks[0].number, 2U);
    EXPECT_EQ(bundle.blocks[0].crc_type, v7::CrcType::kCrc32c);
    EXPECT_EQ(bundle.blocks[0].data, (Bytes{0x82, 0x02, 0x82, 0x0f, 0x00}));
}

TEST(TransitV7, ReplacesThePreviousNode) {
    v7::Builder builder = builder_v7();
    builder.add_hop_count(30);
    builder.add_block(v7::kPreviousNodeBlock, 0, v7::CrcType::kNone, kOldNode);
    const v7::Bundle bundle = forwarded_v7(std::move(builder));
    ASSERT_EQ(bundle.blocks.size(), 3U);
    EXPECT_EQ(bundle.blocks[0].type, v7::kPreviousNodeBlock);
    EXPECT_EQ(bundle.blocks[0].number, 3U) << "2 is in use, 3 has become free";
    EXPECT_EQ(bundle.blocks[0].data.at(3), 0x0f);
}

TEST(TransitV7, FindsABlockNumberEvenWhenAllShortOnesAreTaken) {
    v7::Builder builder = builder_v7();
    for (std::uint64_t number = 2; number < 300; ++number)
        builder.add_block(192, number, 0, v7::CrcType::kNone, kPayload);
    const v7::Bundle bundle = forwarded_v7(std::move(builder));
    EXPECT_EQ(bundle.blocks[0].number, 300U);
}

TEST(TransitV7, CountsTheHopWithTheCrcTypeOfItsBlock) {
    for (const auto crc_type : {v7::CrcType::kNone, v7::CrcType::kCrc16, v7::CrcType::kCrc32c}) {
        v7::Builder builder = builder_v7();
        constexpr std::uint8_t kHops[] = {0x82, 0x18, 0x1e, 0x17};  // 30, 23: one octet to two
        builder.add_block(v7::kHopCountBlock, 5, 1, crc_type, kHops);
        const v7::Bundle bundle = forwarded_v7(std::move(builder));
        const v7::CanonicalBlock &block = bundle.blocks[1];
        EXPECT_EQ(block.number, 5U);
        EXPECT_EQ(block.flags, 1U);
        EXPECT_EQ(block.crc_type, crc_type);
        v7::HopCount hops;
        ASSERT_TRUE(v7::read_hop_count(block.data, hops));
        EXPECT_EQ(hops.limit, 30U);
        EXPECT_EQ(hops.count, 24U);
    }
}

TEST(TransitV7, AddsAHopCountWhereThereIsNone) {
    const auto limited = [](v7::Builder builder) {
        const auto out = forward(std::move(builder).finish(kPayload), 0, 64);
        return v7::decode(out.value_or(Bytes{})).value_or(v7::Bundle{});
    };
    const v7::Bundle bundle = limited(builder_v7());
    ASSERT_EQ(bundle.blocks.size(), 3U);
    EXPECT_EQ(bundle.blocks[0].type, v7::kPreviousNodeBlock);
    EXPECT_EQ(bundle.blocks[1].type, v7::kHopCountBlock);
    EXPECT_NE(bundle.blocks[1].number, bundle.blocks[0].number);
    v7::HopCount hops;
    ASSERT_TRUE(v7::read_hop_count(bundle.blocks[1].data, hops));
    EXPECT_EQ(hops.limit, 64U);
    EXPECT_EQ(hops.count, 1U);
    v7::Builder own = builder_v7();
    own.add_hop_count(30);
    const v7::Bundle as_it_was = limited(std::move(own));
    ASSERT_EQ(as_it_was.blocks.size(), 3U);
    ASSERT_TRUE(v7::read_hop_count(as_it_was.blocks[1].data, hops));
    EXPECT_EQ(hops.limit, 30U);
}

TEST(TransitV7, StopsABundleAtItsHopLimit) {
    v7::Builder builder = builder_v7();
    builder.add_hop_count(30, 30);
    const auto out = forward(std::move(builder).finish(kPayload));
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error(), ParseError::kHopLimitExceeded);
}

TEST(TransitV7, AgesTheBundle) {
    for (const auto &[age, residence, wanted] :
         {Ages{20, 3, 23}, Ages{20, 4, 24}, Ages{0xffff, 1, 0x10000}, Ages{kMost, 5, kMost}}) {
        v7::Builder builder = builder_v7();
        builder.add_bundle_age(age);
        const v7::Bundle bundle = forwarded_v7(std::move(builder), residence);
        std::uint64_t read = 0;
        ASSERT_TRUE(v7::read_bundle_age(bundle.blocks[1].data, read));
        EXPECT_EQ(read, wanted);
    }
}

TEST(TransitV7, DropsUnknownBlocksThatWantToBeDropped) {
    v7::Builder builder = builder_v7();
    builder.add_block(192, v7::kDiscardBlockIfUnprocessable, v7::CrcType::kCrc16, kPayload);
    builder.add_block(193, 0, v7::CrcType::kCrc16, kPayload);
    const v7::Bundle bundle = forwarded_v7(std::move(builder));
    ASSERT_EQ(bundle.blocks.size(), 3U);
    EXPECT_EQ(bundle.blocks[1].type, 193U);
}

TEST(TransitV7, PassesOnOtherBlocksOctetByOctet) {
    // Block 192 as an indefinite-length array with a longer than shortest number.
    Bytes unusual{0x9f, 0x18, 0xc0, 0x18, 0x07, 0x00, 0x00, 0x41, 0x78, 0xff};
    Bytes bundle = builder_v7().finish(kPayload);
    const ByteView slice = bundle;
    const auto view = parse({&slice, 1});
    bundle.insert(bundle.begin() + view->head_end, unusual.begin(), unusual.end());
    const auto out = forward(bundle);
    ASSERT_TRUE(out);
    EXPECT_NE(std::ranges::search(*out, unusual).begin(), out->end());
    EXPECT_TRUE(v7::decode(*out));
}

TEST(TransitV7, LeavesAloneWhatBpsecProtects) {
    for (const std::uint64_t type : {v7::kIntegrityBlock, v7::kConfidentialityBlock}) {
        // Targets: the previous node block 2, the bundle age block 3, the hop count block 4.
        constexpr std::uint8_t kSecurityBlock[] = {0x83, 0x02, 0x03, 0x04, 0x02, 0x00};
        v7::Builder builder = builder_v7();
        builder.add_block(v7::kPreviousNodeBlock, 2, 0, v7::CrcType::kNone, kOldNode);
        builder.add_bundle_age(100);
        builder.add_hop_count(30, 30);
        builder.add_block(type, 0, v7::CrcType::kNone, kSecurityBlock);
        const Bytes before = std::move(builder).finish(kPayload);
        const auto after = forward(before, 50);
        ASSERT_TRUE(after);
        EXPECT_EQ(*after, before);
    }
}

TEST(TransitV7, ChangesWhatASecurityBlockDoesNotTarget) {
    constexpr std::uint8_t kSecurityBlock[] = {0x81, 0x01, 0x02, 0x00};  // the payload only
    v7::Builder builder = builder_v7();
    builder.add_bundle_age(100);
    builder.add_block(v7::kIntegrityBlock, 0, v7::CrcType::kNone, kSecurityBlock);
    const v7::Bundle bundle = forwarded_v7(std::move(builder), 50);
    EXPECT_EQ(bundle.blocks[1].data, (Bytes{0x18, 150}));
    EXPECT_EQ(bundle.blocks[2].data, Bytes(std::begin(kSecurityBlock), std::end(kSecurityBlock)));
}

/// A fragment with a hop count block, an age block, an unknown one and a previous node block, all
/// with block number 0, and one block that has number 2.
v7::Builder unnumbered_fragment() {
    v7::PrimaryFields primary;
    primary.destination = ipn_eid(20, 2);
    primary.source = ipn_eid(10, 1);
    primary.creation_time_ms = 757000000123;
    primary.lifetime_ms = 3600000;
    primary.flags = v7::kIsFragment;
    primary.total_adu_length = 100;
    v7::Builder builder(primary);
    builder.add_block(v7::kHopCountBlock, 0, 0, v7::CrcType::kCrc16, Bytes{0x82, 0x0a, 0x01});
    builder.add_block(v7::kBundleAgeBlock, 0, 0, v7::CrcType::kNone, Bytes{0x05});
    builder.add_block(201, 2, 0, v7::CrcType::kNone, Bytes{0x07});
    builder.add_block(200, 0, v7::kReplicateBlock, v7::CrcType::kCrc32c, Bytes{0x08});
    builder.add_block(v7::kPreviousNodeBlock, 0, 0, v7::CrcType::kNone, kOldNode);
    return builder;
}

TEST(TransitV7, GivesNumbersToBlocksThatCameWithout) {
    const v7::Bundle bundle = forwarded_v7(unnumbered_fragment(), 10);
    std::vector<std::uint64_t> types;
    std::vector<std::uint64_t> numbers;
    for (const v7::CanonicalBlock &block : bundle.blocks) {
        types.push_back(block.type);
        numbers.push_back(block.number);
    }
    EXPECT_EQ(types, (std::vector<std::uint64_t>{6, 10, 7, 201, 200, 1}));
    EXPECT_EQ(numbers, (std::vector<std::uint64_t>{3, 4, 5, 2, 6, 1}));
    EXPECT_EQ(bundle.blocks[1].data, (Bytes{0x82, 0x0a, 0x02}));
    EXPECT_EQ(bundle.blocks[2].data, Bytes{0x0f});
    EXPECT_EQ(bundle.blocks[4].flags, v7::kReplicateBlock);
    EXPECT_EQ(bundle.blocks[4].data, Bytes{0x08});
}

// BPSec refers to blocks by their number, and 0 is the primary block's.
TEST(TransitV7, LeavesBlocksWithoutANumberBesideBpsec) {
    constexpr std::uint8_t kSignsThePrimary[] = {0x81, 0x00, 0x01, 0x00};
    v7::Builder builder = unnumbered_fragment();
    builder.add_block(v7::kIntegrityBlock, 0, 0, v7::CrcType::kNone, kSignsThePrimary);
    const v7::Bundle bundle = forwarded_v7(std::move(builder), 10);
    ASSERT_EQ(bundle.blocks.size(), 7U);
    EXPECT_EQ(bundle.blocks[1].number, 0U);
    EXPECT_EQ(bundle.blocks[1].data, (Bytes{0x82, 0x0a, 0x02}));
    EXPECT_EQ(bundle.blocks[2].data, Bytes{0x0f});
    EXPECT_EQ(bundle.blocks[4].number, 0U);
}

// However many they are, the head stays within its bound.
TEST(TransitV7, ThereIsRoomForTheNumbersOfAll) {
    v7::PrimaryFields primary;
    primary.destination = ipn_eid(20, 2);
    primary.source = ipn_eid(10, 1);
    primary.flags = v7::kIsFragment;
    primary.creation_time_ms = 757000000123;
    primary.lifetime_ms = 3600000;
    primary.total_adu_length = 100;
    v7::Builder builder(primary);
    for (std::uint64_t number = 2; number < 256; ++number)
        builder.add_block(201, number, 0, v7::CrcType::kNone, {});
    for (std::size_t i = 0; i < v7::kMostUnnumbered; ++i)
        builder.add_block(200, 0, 0, v7::CrcType::kNone, {});
    const v7::Bundle bundle = forwarded_v7(std::move(builder));
    EXPECT_EQ(bundle.blocks.size(), 1 + 254 + v7::kMostUnnumbered + 1);
}

v6::Bundle forwarded_v6(v6::Builder builder, std::uint64_t residence_ms = 0) {
    builder.add_block(v6::kPayloadBlock, 0, kPayload);
    const auto out = forward(std::move(builder).finish(), residence_ms);
    EXPECT_TRUE(out);
    const auto bundle = v6::decode(out.value_or(Bytes{}));
    EXPECT_TRUE(bundle) << to_string(bundle.error());
    return bundle.value_or(v6::Bundle{});
}

TEST(TransitV6, ReplacesThePreviousHop) {
    using namespace std::string_view_literals;
    v6::Builder builder = builder_v6();
    builder.add_block(v6::kPreviousHopBlock, v6::kDiscardBlockIfUnprocessable,
                      as_bytes("ipn\0"
                               "9.0\0"sv));
    const v6::Bundle bundle = forwarded_v6(std::move(builder));
    ASSERT_EQ(bundle.blocks.size(), 2U);
    EXPECT_EQ(bundle.blocks[0].type, v6::kPreviousHopBlock);
    EXPECT_EQ(bundle.blocks[0].flags, v6::kDiscardBlockIfUnprocessable);
    EXPECT_EQ(as_text(bundle.blocks[0].data),
              "ipn\0"
              "15.0\0"sv);
}

TEST(TransitV6, AgesTheBundleInMicroseconds) {
    for (const auto &[age_us, residence_ms, wanted_us] :
         {Ages{1000, 5, 6000}, Ages{100, 1, 1100}, Ages{kMost, 1, kMost}, Ages{1, kMost, kMost}}) {
        Bytes data;
        codec::append_sdnv(data, age_us);
        v6::Builder builder = builder_v6();
        builder.add_block(v6::kBundleAgeBlock, v6::kReplicateBlock, data);
        const v6::Bundle bundle = forwarded_v6(std::move(builder), residence_ms);
        std::uint64_t read = 0;
        EXPECT_EQ(bundle.blocks[1].flags, v6::kReplicateBlock);
        ASSERT_TRUE(v6::read_bundle_age(bundle.blocks[1].data, read));
        EXPECT_EQ(read, wanted_us);
    }
}

TEST(TransitV6, MarksOrDropsUnknownBlocks) {
    v6::Builder builder = builder_v6();
    builder.add_block(222, 0, kPayload);
    builder.add_block(223, v6::kDiscardBlockIfUnprocessable, kPayload);
    builder.add_block(v6::kMetadataBlock, 0, kPayload);
    const v6::Bundle bundle = forwarded_v6(std::move(builder));
    ASSERT_EQ(bundle.blocks.size(), 4U);
    EXPECT_EQ(bundle.blocks[1].type, 222);
    EXPECT_EQ(bundle.blocks[1].flags, v6::kForwardedUnprocessed);
    EXPECT_EQ(bundle.blocks[2].type, v6::kMetadataBlock);
    EXPECT_EQ(bundle.blocks[2].flags, 0U) << "what is known is not marked";
    EXPECT_EQ(bundle.blocks[3].flags, v6::kLastBlock);
}

TEST(TransitV6, ProcessesBlocksBehindThePayload) {
    v6::Builder builder = builder_v6();
    builder.add_block(v6::kPayloadBlock, 0, kPayload);
    builder.add_block(222, 0, kPayload);
    builder.add_block(v6::kBundleAgeBlock, 0, Bytes{0x05});
    builder.add_block(223, v6::kDiscardBlockIfUnprocessable, kPayload);
    const auto bundle = v6::decode(apply_trailing_blocks(std::move(builder).finish()));
    ASSERT_TRUE(bundle);
    ASSERT_EQ(bundle->blocks.size(), 3U);
    EXPECT_EQ(bundle->blocks[0].type, v6::kBundleAgeBlock);
    EXPECT_EQ(bundle->blocks[1].type, v6::kPayloadBlock);
    EXPECT_EQ(bundle->blocks[2].type, 222);
    EXPECT_EQ(bundle->blocks[2].flags, v6::kForwardedUnprocessed | v6::kLastBlock);
}

TEST(TransitV6, ThePayloadBecomesTheLastBlockWhenNothingBehindItStays) {
    v6::Builder builder = builder_v6();
    builder.add_block(v6::kPayloadBlock, 0, kPayload);
    builder.add_block(222, v6::kDiscardBlockIfUnprocessable, kPayload);
    const auto bundle = v6::decode(apply_trailing_blocks(std::move(builder).finish()));
    ASSERT_TRUE(bundle);
    ASSERT_EQ(bundle->blocks.size(), 1U);
    EXPECT_EQ(bundle->blocks[0].flags, v6::kLastBlock);
}

TEST(TransitV6, ABundleWithoutTrailingBlocksStaysAsItIs) {
    v6::Builder builder = builder_v6();
    builder.add_block(v6::kPayloadBlock, 0, kPayload);
    const Bytes bundle = std::move(builder).finish();
    EXPECT_EQ(apply_trailing_blocks(bundle), bundle);
}

}  // namespace
}  // namespace farlink::bp::forwarding_editor_test
