// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/extended_class.hpp"

#include <gtest/gtest.h>

#include "common/bp/forwarding_editor.hpp"
#include "common/bp/v6/bundle.hpp"
#include "tests/support/custody_bundle.hpp"

namespace farlink::bp::v6::extended_class_test {
namespace {

struct Golden {
    Bytes data;
    ExtendedClass service;
};

const std::vector<Golden> kGolden{
    {{0x00, 0x00}, {}},
    {{0x01, 0x00}, {.critical = true}},
    {{0x02, 0x07}, {.streaming = true, .ordinal = 7}},
    {{0x08, 0xfe}, {.reliable = true, .ordinal = 254}},
    {{0x05, 0x01, 0x82, 0x2c}, {.critical = true, .ordinal = 1, .flow_label = 300}},
};

Result<BundleView, ParseError> parse_whole(const Bytes &octets) {
    return parse(std::array{ByteView(octets)});
}

/// A bundle with these blocks, the payload block in front of those behind it.
Bytes bundle_with(const std::vector<Bytes> &before, const std::vector<Bytes> &behind = {}) {
    PrimaryFields primary;
    primary.destination = ipn_eid(20, 1);
    primary.source = ipn_eid(10, 1);
    primary.creation_time_s = 757'000'000;
    primary.lifetime_s = 1'000'000'000;
    Builder builder(primary);
    for (const Bytes &data : before) builder.add_block(kExtendedClassBlock, kReplicateBlock, data);
    builder.add_block(kPayloadBlock, 0, Bytes{1, 2, 3});
    for (const Bytes &data : behind) builder.add_block(kExtendedClassBlock, 0, data);
    return std::move(builder).finish();
}

TEST(V6ExtendedClass, GoldenOctetsBothWays) {
    for (const Golden &golden : kGolden) {
        EXPECT_EQ(decode_extended_class(golden.data).value(), golden.service);
        EXPECT_EQ(encode(golden.service), golden.data);
    }
}

TEST(V6ExtendedClass, TruncatedAtEveryOctetAndTooLong) {
    for (const Golden &golden : kGolden) {
        for (std::size_t size = 0; size < golden.data.size(); ++size)
            EXPECT_EQ(decode_extended_class(ByteView(golden.data).first(size)).error(),
                      ParseError::kBadBlockData);
        Bytes longer = golden.data;
        longer.push_back(0);
        EXPECT_EQ(decode_extended_class(longer).error(), ParseError::kBadBlockData);
    }
    const Bytes endless{0x04, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff,
                        0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    EXPECT_EQ(decode_extended_class(endless).error(), ParseError::kBadBlockData);
}

TEST(V6ExtendedClass, FlagsWithoutAMeaningAreIgnored) {
    EXPECT_EQ(decode_extended_class(Bytes{0xf1, 0x05}).value(),
              (ExtendedClass{.critical = true, .ordinal = 5}));
}

TEST(V6ExtendedClass, ABundleTellsWhetherItIsCritical) {
    const auto plain = parse_whole(bundle_with({}));
    ASSERT_TRUE(plain);
    EXPECT_FALSE(plain->has_extended_class);
    EXPECT_FALSE(plain->critical);
    const auto ordinary = parse_whole(bundle_with({{0x00, 0x09}}));
    ASSERT_TRUE(ordinary);
    EXPECT_TRUE(ordinary->has_extended_class);
    EXPECT_FALSE(ordinary->critical);
    EXPECT_EQ(ordinary->ordinal, 9U);
    const auto critical = parse_whole(bundle_with({{0x01, 0x09}}));
    ASSERT_TRUE(critical);
    EXPECT_TRUE(critical->critical);
    EXPECT_FALSE(critical->unknown.present);
}

TEST(V6ExtendedClass, TheBlockMayFollowThePayload) {
    const auto view = parse_whole(bundle_with({}, {{0x01, 0x00}}));
    ASSERT_TRUE(view);
    EXPECT_TRUE(view->critical);
    EXPECT_TRUE(view->trailing_blocks);
}

TEST(V6ExtendedClass, ABundleWithABadBlockOrTwoOfThemIsRefused) {
    EXPECT_EQ(parse_whole(bundle_with({{0x01}})).error(), ParseError::kBadBlockData);
    EXPECT_EQ(parse_whole(bundle_with({{0x04, 0x00}})).error(), ParseError::kBadBlockData);
    EXPECT_EQ(parse_whole(bundle_with({{0x01, 0x00, 0x00}})).error(), ParseError::kBadBlockData);
    EXPECT_EQ(parse_whole(bundle_with({{0x01, 0x00}, {0x01, 0x00}})).error(),
              ParseError::kDuplicateBlock);
    EXPECT_EQ(parse_whole(bundle_with({{0x01, 0x00}}, {{0x01, 0x00}})).error(),
              ParseError::kDuplicateBlock);
}

/// Octet by octet: type 19, in every fragment, two octets, critical, ordinal 0.
TEST(V6ExtendedClass, AWholeBundleOnTheWire) {
    const Bytes golden{0x06, 0x10, 0x14, 0x14, 0x01, 0x0a, 0x01, 0x00, 0x00, 0x00, 0x00, 0x82,
                       0xe8, 0xfb, 0xce, 0x40, 0x00, 0x83, 0xdc, 0xeb, 0x94, 0x00, 0x00, 0x13,
                       0x01, 0x02, 0x01, 0x00, 0x01, 0x08, 0x03, 0x01, 0x02, 0x03};
    EXPECT_EQ(bundle_with({{0x01, 0x00}}), golden);
    EXPECT_TRUE(parse_whole(golden)->critical);
}

TEST(V6ExtendedClass, EveryFragmentIsCritical) {
    const Bundle whole = decode(bundle_with({{0x01, 0x00}})).value();
    const auto parts = fragment(whole, 1);
    ASSERT_TRUE(parts);
    EXPECT_TRUE(parse_whole(encode(parts->first))->critical);
    EXPECT_TRUE(parse_whole(encode(parts->second))->critical);
}

TEST(V6ExtendedClass, ItGoesOnUnchanged) {
    const Bytes octets = bundle_with({{0x05, 0x01, 0x82, 0x2c}});
    const auto view = parse_whole(octets).value();
    const ForwardingEditor editor(ipn_eid(15, 0));
    const BundleHead head{ByteView(octets).first(view.head_end), view.primary_end, view.version};
    Bytes rendered(editor.bound(head));
    rendered.resize(editor.render(head, 1000, rendered).value());
    append(rendered, ByteView(octets).subspan(view.head_end));
    EXPECT_EQ(decode(rendered).value().blocks[1], decode(octets).value().blocks[0]);
    EXPECT_TRUE(parse_whole(rendered)->critical);
}

}  // namespace
}  // namespace farlink::bp::v6::extended_class_test
