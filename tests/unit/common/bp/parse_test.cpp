// SPDX-License-Identifier: Apache-2.0
#include "common/bp/parse.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "common/bp/v6/builder.hpp"
#include "common/bp/v7/block_numbers.hpp"
#include "common/bp/v7/builder.hpp"
#include "common/buffer/batch.hpp"

namespace farlink::bp::parse_test {
namespace {

constexpr std::uint8_t kPayload[] = {'h', 'i'};

v7::PrimaryFields primary_v7() {
    v7::PrimaryFields primary;
    primary.destination = ipn_eid(20, 2);
    primary.source = ipn_eid(10, 1);
    primary.report_to = ipn_eid(10, 0);
    primary.creation_time_ms = 757000000123;
    primary.sequence = 7;
    primary.lifetime_ms = 3600000;
    return primary;
}

Result<BundleView, ParseError> parse_whole(const Bytes &octets) {
    const ByteView slice = octets;
    return parse({&slice, 1});
}

Bytes bundle_v7(const v7::PrimaryFields &primary) {
    return v7::Builder(primary).finish(kPayload);
}

TEST(BundleView, ExpiresByCreationTimeOrByAge) {
    BundleView view;
    view.version = 7;
    view.creation_time = 1000;
    view.lifetime_ms = 500;
    EXPECT_EQ(view.expiry(1'000'000), 1501U);
    view.lifetime_ms = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(view.expiry(0), kDtnNever);
    view.creation_time = 0;
    view.lifetime_ms = 500;
    EXPECT_EQ(view.expiry(10'000), 10'501U);
    view.has_age = true;
    view.age_ms = 200;
    EXPECT_EQ(view.expiry(10'000), 10'301U);
    view.age_ms = 500;
    EXPECT_EQ(view.expiry(10'000), 10'001U) << "an age equal to the lifetime does not exceed it";
    view.age_ms = 900;
    EXPECT_EQ(view.expiry(10'000), 10'000U);
    view.version = 6;
    view.creation_time = 5;
    EXPECT_EQ(view.expiry(0), 5501U);
    view.creation_time = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(view.expiry(0), kDtnNever);
}

TEST(BundleView, IdentityTellsBundlesAndFragmentsApart) {
    BundleView a;
    a.version = 7;
    a.source = ipn_eid(10, 1);
    a.creation_time = 1000;
    a.sequence = 1;
    BundleView b = a;
    b.destination = ipn_eid(5, 5);
    EXPECT_EQ(a.identity(), b.identity()) << "the destination is not part of it";
    b.sequence = 2;
    EXPECT_NE(a.identity(), b.identity());
    b = a;
    b.is_fragment = true;
    EXPECT_NE(a.identity(), b.identity());
    BundleView c = b;
    c.fragment_offset = 10;
    EXPECT_NE(b.identity(), c.identity());
    c = b;
    c.payload_length = 10;
    EXPECT_NE(b.identity(), c.identity());
}

TEST(BundleView, TellsWhichReportsAreWanted) {
    v7::PrimaryFields primary = primary_v7();
    primary.flags = v7::kReportForwardingFlag | v7::kReportDeliveryFlag;
    const auto view = parse_whole(bundle_v7(primary));
    ASSERT_TRUE(view);
    EXPECT_EQ(view->requests, kReportForwarding | kReportDelivery);
}

TEST(BundleView, CollectsWhatUnknownBlocksDemand) {
    v7::Builder builder(primary_v7());
    builder.add_block(192, v7::kReportIfUnprocessable, v7::CrcType::kNone, kPayload);
    builder.add_block(193, v7::kDiscardBlockIfUnprocessable, v7::CrcType::kCrc16, kPayload);
    const auto view = parse_whole(std::move(builder).finish(kPayload));
    ASSERT_TRUE(view);
    EXPECT_TRUE(view->unknown.present);
    EXPECT_TRUE(view->unknown.report);
    EXPECT_TRUE(view->unknown.discard);
    EXPECT_FALSE(view->unknown.delete_bundle);

    v7::Builder known(primary_v7());
    known.add_block(v7::kIntegrityBlock, v7::kDeleteBundleIfUnprocessable, v7::CrcType::kNone,
                    kPayload);
    EXPECT_FALSE(parse_whole(std::move(known).finish(kPayload))->unknown.present);
}

TEST(BundleView, RefusesMoreHopsThanTheLimit) {
    for (const auto &[count, accepted] : {std::pair{30U, true}, std::pair{31U, false}}) {
        v7::Builder builder(primary_v7());
        builder.add_hop_count(30, count);
        const auto view = parse_whole(std::move(builder).finish(kPayload));
        EXPECT_EQ(view.has_value(), accepted);
        if (!view) {
            EXPECT_EQ(view.error(), ParseError::kHopLimitExceeded);
        }
    }
}

TEST(BundleView, AnEncryptedAgeIsNobodysButTheAcceptors) {
    // A BCB (RFC 9172 section 3.8) whose only target is block 2, the bundle age block.
    constexpr std::uint8_t kSecurityBlock[] = {0x81, 0x02, 0x02, 0x00};
    constexpr std::uint8_t kCiphertext[] = {0xc1, 0x55};
    v7::Builder builder(primary_v7());
    builder.add_block(v7::kBundleAgeBlock, 2, 0, v7::CrcType::kNone, kCiphertext);
    builder.add_block(v7::kConfidentialityBlock, 3, 0, v7::CrcType::kNone, kSecurityBlock);
    const auto view = parse_whole(std::move(builder).finish(kPayload));
    ASSERT_TRUE(view);
    EXPECT_FALSE(view->has_age);

    v7::Builder plain(primary_v7());
    plain.add_block(v7::kBundleAgeBlock, 2, 0, v7::CrcType::kNone, kCiphertext);
    EXPECT_EQ(parse_whole(std::move(plain).finish(kPayload)).error(), ParseError::kBadBlockData);
}

TEST(BundleView, RefusesFlagsThatContradictEachOther) {
    v7::PrimaryFields fragment = primary_v7();
    fragment.flags = v7::kIsFragment | v7::kMustNotFragment;
    fragment.total_adu_length = 100;
    EXPECT_EQ(parse_whole(bundle_v7(fragment)).error(), ParseError::kBadFlags);
    v7::PrimaryFields anonymous = primary_v7();
    anonymous.source = {};
    EXPECT_EQ(parse_whole(bundle_v7(anonymous)).error(), ParseError::kBadFlags);
    anonymous.flags = v7::kMustNotFragment;
    EXPECT_TRUE(parse_whole(bundle_v7(anonymous)));
}

/// RFC 9758 section 3.4.1: node number 0 is the null endpoint, whatever its service.
TEST(BundleView, AServiceOfNodeZeroIsNoSource) {
    v7::PrimaryFields primary = primary_v7();
    primary.source = ipn_eid(0, 5);
    EXPECT_EQ(parse_whole(bundle_v7(primary)).error(), ParseError::kBadFlags);
    primary.flags = v7::kMustNotFragment;
    const auto view = parse_whole(bundle_v7(primary));
    ASSERT_TRUE(view);
    EXPECT_TRUE(view->source.is_null());
}

/// A bundle with `count` extension blocks that all have block number 0, the first one its age.
Bytes unnumbered(bool fragment, std::size_t count) {
    v7::PrimaryFields primary = primary_v7();
    if (fragment) primary.flags |= v7::kIsFragment;
    primary.total_adu_length = 100;
    v7::Builder builder(primary);
    builder.add_block(v7::kBundleAgeBlock, 0, 0, v7::CrcType::kCrc16, Bytes{0x05});
    for (; count > 1; --count) builder.add_block(200, 0, 0, v7::CrcType::kNone, Bytes{0x01});
    return std::move(builder).finish(kPayload);
}

// ION 4.1 makes such fragments.
TEST(BundleView, TakesFragmentsWhoseBlocksHaveNoNumber) {
    const auto view = parse_whole(unnumbered(true, 3));
    ASSERT_TRUE(view) << to_string(view.error());
    EXPECT_TRUE(view->has_unnumbered);
    EXPECT_EQ(view->age_ms, 5U);
    EXPECT_EQ(parse_whole(unnumbered(false, 3)).error(), ParseError::kBadBlockNumber);
    EXPECT_TRUE(parse_whole(unnumbered(true, v7::kMostUnnumbered)));
    EXPECT_EQ(parse_whole(unnumbered(true, v7::kMostUnnumbered + 1)).error(),
              ParseError::kBadBlockNumber);
    EXPECT_FALSE(parse_whole(bundle_v7(primary_v7()))->has_unnumbered);
}

TEST(BundleView, ANumberlessBlockIsStillOnlyThereOnce) {
    v7::PrimaryFields primary = primary_v7();
    primary.flags |= v7::kIsFragment;
    primary.total_adu_length = 100;
    v7::Builder builder(primary);
    builder.add_block(v7::kBundleAgeBlock, 0, 0, v7::CrcType::kCrc16, Bytes{0x05});
    builder.add_block(v7::kBundleAgeBlock, 0, 0, v7::CrcType::kCrc16, Bytes{0x05});
    EXPECT_EQ(parse_whole(std::move(builder).finish(kPayload)).error(),
              ParseError::kDuplicateBlock);
}

TEST(BundleView, ParsedAgainOnlyThePayloadsCrcIsTrusted) {
    Bytes octets = bundle_v7(primary_v7());
    const auto first = parse_whole(octets);
    ASSERT_TRUE(first);
    const auto again = [&octets] {
        const ByteView slice = octets;
        return parse_again({&slice, 1});
    };
    ASSERT_TRUE(again());
    EXPECT_EQ(again()->identity(), first->identity());
    EXPECT_EQ(again()->head_end, first->head_end);

    octets[first->payload_offset] ^= 1;
    EXPECT_EQ(parse_whole(octets).error(), ParseError::kCrcMismatch);
    EXPECT_TRUE(again());
    octets.pop_back();
    EXPECT_EQ(again().error(), ParseError::kTruncated);
    octets[first->primary_end - 1] ^= 1;
    EXPECT_EQ(again().error(), ParseError::kCrcMismatch);
}

TEST(BundleView, ReadsThePrimaryBlockOfAHead) {
    const Bytes octets = bundle_v7(primary_v7());
    const auto whole = parse_whole(octets);
    ASSERT_TRUE(whole);
    const auto head = parse_primary(ByteView(octets).first(whole->primary_end));
    ASSERT_TRUE(head);
    EXPECT_EQ(head->identity(), whole->identity());
    EXPECT_EQ(head->primary_end, whole->primary_end);
    for (std::size_t size = 0; size < whole->primary_end; ++size)
        EXPECT_FALSE(parse_primary(ByteView(octets).first(size))) << size;

    v6::PrimaryFields primary;
    primary.source = ipn_eid(10, 1);
    Bytes old(v6::primary_bound(primary));
    old.resize(v6::encode_primary(primary, old));
    EXPECT_EQ(parse_primary(old)->source, ipn_eid(10, 1));
    EXPECT_EQ(parse_primary(old)->version, 6);
}

TEST(BundleView, BlocksBehindABpv6PayloadMustLieTogether) {
    v6::PrimaryFields primary;
    primary.destination = ipn_eid(20, 2);
    primary.source = ipn_eid(10, 1);
    v6::Builder builder(primary);
    builder.add_block(v6::kPayloadBlock, 0, kPayload);
    builder.add_block(v6::kMetadataBlock, 0, kPayload);
    const Bytes octets = std::move(builder).finish();
    const auto whole = parse_whole(octets);
    ASSERT_TRUE(whole);
    EXPECT_TRUE(whole->trailing_blocks);
    const ByteView view = octets;
    const std::size_t trailing = whole->payload_offset + whole->payload_length;
    const ByteView before[] = {view.first(trailing), view.subspan(trailing)};
    EXPECT_TRUE(parse(before));
    const ByteView inside[] = {view.first(trailing + 1), view.subspan(trailing + 1)};
    EXPECT_EQ(parse(inside).error(), ParseError::kHeadNotContiguous);
}

TEST(BundleView, ReadsEndpointsOfOtherSchemesWhereTheDictionaryKeepsThemTogether) {
    using namespace std::string_view_literals;
    v6::PrimaryFields primary;
    primary.destination = {EidScheme::kOther, 0, 0, "foo\0//x"sv};
    primary.source = ipn_eid(10, 1);
    v6::Builder builder(primary);
    builder.add_block(v6::kPayloadBlock, 0, kPayload);
    const Bytes octets = std::move(builder).finish();
    const auto view = parse_whole(octets);
    ASSERT_TRUE(view);
    EXPECT_EQ(to_string(view->destination), "foo://x");
    EXPECT_EQ(view->destination, primary.destination);
}

// RFC 9171 section 4.4.1.
TEST(BundleView, KnowsThePreviousNodeThatAnyoneMayRead) {
    constexpr std::uint8_t kNode[] = {0x82, 0x02, 0x82, 0x0e, 0x00};
    constexpr std::uint8_t kNamed[] = {0x82, 0x01, 0x64, '/', '/', 'a', '/'};
    constexpr std::uint8_t kTargetsIt[] = {0x81, 0x02, 0x02, 0x00};
    constexpr NodeNumber kUnreadable{99};
    constexpr std::uint8_t kTargetsPayload[] = {0x81, 0x01, 0x02, 0x00};
    const auto previous_node = [](ByteView node, std::uint64_t security, ByteView targets) {
        v7::Builder builder(primary_v7());
        builder.add_block(v7::kPreviousNodeBlock, 2, 0, v7::CrcType::kNone, node);
        if (security != 0) builder.add_block(security, 3, 0, v7::CrcType::kNone, targets);
        const auto view = parse_whole(std::move(builder).finish(kPayload));
        EXPECT_TRUE(view || view.error() == ParseError::kBadBlockData);
        return view ? view->previous_node : kUnreadable;
    };
    EXPECT_EQ(parse_whole(bundle_v7(primary_v7()))->previous_node, NodeNumber{});
    EXPECT_EQ(previous_node(kNode, 0, {}), NodeNumber{14});
    EXPECT_EQ(previous_node(kNamed, 0, {}), NodeNumber{});
    EXPECT_EQ(previous_node(kPayload, 0, {}), kUnreadable) << "it is no endpoint";
    EXPECT_EQ(previous_node({}, 0, {}), kUnreadable);
    EXPECT_EQ(previous_node(kPayload, v7::kIntegrityBlock, kTargetsIt), kUnreadable);
    EXPECT_EQ(previous_node(kPayload, v7::kConfidentialityBlock, kTargetsIt), NodeNumber{})
        << "whatever it says is encrypted";
    for (const std::uint64_t type : {v7::kIntegrityBlock, v7::kConfidentialityBlock}) {
        EXPECT_EQ(previous_node(kNode, type, kTargetsPayload), NodeNumber{14});
        EXPECT_EQ(previous_node(kNode, type, kTargetsIt), NodeNumber{})
            << "signed, it stays for many hops; encrypted, it is for others";
    }
}

}  // namespace
}  // namespace farlink::bp::parse_test
