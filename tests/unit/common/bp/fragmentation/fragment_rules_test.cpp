// SPDX-License-Identifier: Apache-2.0
#include "common/bp/fragmentation/fragment_rules.hpp"

#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v7/builder.hpp"

namespace farlink::bp::fragment_rules_test {
namespace {

const Bytes kPayload(100, 0x55);

bool allowed(const Bytes &octets) {
    const ByteView slice(octets);
    const auto view = parse({&slice, 1});
    EXPECT_TRUE(view.has_value());
    return view && may_be_fragmented(*view, slice.first(view->head_end));
}

v7::PrimaryFields primary_v7() {
    v7::PrimaryFields primary;
    primary.destination = ipn_eid(20, 1);
    primary.source = ipn_eid(10, 1);
    primary.creation_time_ms = 1000;
    primary.lifetime_ms = 1000;
    return primary;
}

/// RFC 9172 section 3.6: an abstract security block with these targets.
Bytes security(std::initializer_list<std::uint8_t> targets) {
    Bytes data{static_cast<std::uint8_t>(0x80 + targets.size())};
    data.insert(data.end(), targets);
    append(data, Bytes{0x01, 0x00, 0x82, 0x02, 0x82, 0x0a, 0x01, 0x81, 0x80});
    return data;
}

Bytes secured(std::uint64_t type, std::uint64_t flags,
              std::initializer_list<std::uint8_t> targets) {
    v7::Builder builder(primary_v7());
    builder.add_block(type, flags, v7::CrcType::kNone, security(targets));
    return std::move(builder).finish(kPayload);
}

TEST(FragmentRules, FlaggedAnonymousAndTinyBundlesStayWhole) {
    v7::PrimaryFields primary = primary_v7();
    EXPECT_TRUE(allowed(v7::Builder(primary).finish(kPayload)));
    EXPECT_FALSE(allowed(v7::Builder(primary).finish(Bytes{1})));
    primary.flags = v7::kMustNotFragment;
    EXPECT_FALSE(allowed(v7::Builder(primary).finish(kPayload)));
    primary.source = {};
    EXPECT_FALSE(allowed(v7::Builder(primary).finish(kPayload)));
}

TEST(FragmentRules, AFragmentMayBeCutAgain) {
    v7::PrimaryFields primary = primary_v7();
    primary.flags = v7::kIsFragment;
    primary.total_adu_length = 1000;
    EXPECT_TRUE(allowed(v7::Builder(primary).finish(kPayload)));
}

TEST(FragmentRules, EncryptedPayloadsNeedTheirBlockInEveryFragment) {
    EXPECT_FALSE(allowed(secured(v7::kConfidentialityBlock, 0, {1})));
    EXPECT_TRUE(allowed(secured(v7::kConfidentialityBlock, v7::kReplicateBlock, {1})));
    EXPECT_TRUE(allowed(secured(v7::kIntegrityBlock, 0, {1})));
}

TEST(FragmentRules, SoDoOtherEncryptedBlocksThatAreInEveryFragment) {
    for (const bool everywhere : {false, true}) {
        v7::Builder builder(primary_v7());
        builder.add_block(200, 2, everywhere ? v7::kReplicateBlock : 0, v7::CrcType::kNone,
                          Bytes{1});
        builder.add_block(v7::kConfidentialityBlock, 3, 0, v7::CrcType::kNone, security({2}));
        EXPECT_EQ(allowed(std::move(builder).finish(kPayload)), !everywhere);
    }
}

TEST(FragmentRules, APrimaryBlockWithASignatureForACrcStaysWhole) {
    v7::PrimaryFields primary = primary_v7();
    primary.crc_type = v7::CrcType::kNone;
    v7::Builder builder(primary);
    builder.add_block(v7::kIntegrityBlock, 0, v7::CrcType::kNone, security({0}));
    EXPECT_FALSE(allowed(std::move(builder).finish(kPayload)));
    EXPECT_TRUE(allowed(secured(v7::kIntegrityBlock, 0, {0})));
}

TEST(FragmentRules, WithoutACreationTimeEveryFragmentNeedsItsAge) {
    v7::PrimaryFields primary = primary_v7();
    primary.creation_time_ms = 0;
    v7::Builder plain(primary);
    plain.add_bundle_age(5);
    EXPECT_TRUE(allowed(std::move(plain).finish(kPayload)));
    v7::Builder signed_age(primary);
    signed_age.add_block(v7::kBundleAgeBlock, 2, 0, v7::CrcType::kNone, Bytes{5});
    signed_age.add_block(v7::kIntegrityBlock, 3, 0, v7::CrcType::kNone, security({2}));
    EXPECT_FALSE(allowed(std::move(signed_age).finish(kPayload)));
}

TEST(FragmentRules, BundlesInCustodyOrWithOldSecurityBlocksStayWhole) {
    const auto bundle = [](std::uint64_t flags, std::uint8_t type) {
        v6::PrimaryFields primary;
        primary.flags |= flags;
        primary.destination = ipn_eid(20, 1);
        primary.source = ipn_eid(10, 1);
        primary.custodian = ipn_eid(10, 0);
        v6::Builder builder(primary);
        builder.add_block(type, 0, Bytes{1});
        builder.add_block(v6::kPayloadBlock, 0, kPayload);
        return std::move(builder).finish();
    };
    constexpr std::uint8_t kMetadata = v6::kMetadataBlock;
    constexpr std::uint8_t kIntegrity = 3;  // RFC 6257
    EXPECT_TRUE(allowed(bundle(0, kMetadata)));
    EXPECT_FALSE(allowed(bundle(v6::kCustodyRequested, kMetadata)));
    EXPECT_FALSE(allowed(bundle(v6::kMustNotFragment, kMetadata)));
    EXPECT_FALSE(allowed(bundle(0, kIntegrity)));
}

}  // namespace
}  // namespace farlink::bp::fragment_rules_test
