// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/bundle_group.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "common/bp/parse.hpp"

namespace farlink::traffic::bundle_group_test {
namespace {

Bytes octets_of(const TxBundle &bundle) {
    Bytes octets(bundle.head.begin(), bundle.head.end());
    append(octets, bundle.body);
    for (const ByteView piece : bundle.rest) append(octets, piece);
    return octets;
}

class BundleGroupOf : public testing::TestWithParam<std::tuple<std::uint8_t, std::uint64_t>> {
protected:
    BundleGroupOf() : pattern_(9) {
        BundleOptions options;
        options.source = bp::Eid(1, 1).view();
        options.destination = bp::Eid(2, 1).view();
        options.version = std::get<0>(GetParam());
        options.payload_bytes = std::get<1>(GetParam());
        bundles_.emplace(BundleTemplate::make(options, pattern_).value());
        header_.length_bytes = static_cast<std::uint32_t>(options.payload_bytes);
    }
    void expect_bundle(ByteView octets, std::uint64_t sequence) const {
        const auto view = bp::parse({&octets, 1});
        ASSERT_TRUE(view) << bp::to_string(view.error());
        EXPECT_EQ(view->sequence, sequence);
        const ByteView payload = octets.subspan(view->payload_offset, view->payload_length);
        EXPECT_TRUE(pattern_.matches(payload.subspan(PayloadHeader::kBytes)));
    }

    Pattern pattern_;
    std::optional<BundleTemplate> bundles_;
    PayloadHeader header_;
};

TEST_P(BundleGroupOf, HoldsWholeValidBundles) {
    BundleGroup group(*bundles_, pattern_);
    for (int round = 0; round < 2; ++round) {
        const std::uint64_t first = header_.sequence;
        const std::uint64_t count = group.bundles_within(BundleGroup::kFullBytes);
        ASSERT_GE(count, 1U);
        for (; header_.sequence < first + count; ++header_.sequence)
            group.add(header_, header_.sequence + 5);
        ASSERT_EQ(group.bundles().size(), count);
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const TxBundle &bundle = group.bundles()[i];
            const Bytes octets = octets_of(bundle);
            EXPECT_EQ(bundle.size, octets.size());
            EXPECT_LE(bundle.size, group.max_bundle_bytes());
            EXPECT_EQ(bundle.token, first + i + 5);
            expect_bundle(octets, first + i);
            bytes += bundle.size;
        }
        EXPECT_EQ(group.bytes(), bytes);
        group.recycle(group.release());
        group.clear();
    }
}

TEST_P(BundleGroupOf, KeepsWhatALinkRefersToUntilItIsReleased) {
    BundleGroup group(*bundles_, pattern_);
    const auto next = [&] {
        group.clear();
        group.add(header_, header_.sequence++);
        return group.release();
    };
    const GroupMemoryPtr memory = next();
    const TxBundle bundle = group.bundles()[0];
    const Bytes head(bundle.head.begin(), bundle.head.end());
    const Bytes whole = octets_of(bundle);
    const GroupMemoryPtr later = next();
    Bytes again = head;
    append(again, bundle.body);
    for (const ByteView piece : bundle.rest) append(again, piece);
    EXPECT_EQ(again, whole);
}

TEST_P(BundleGroupOf, IsBoundedByTheCredit) {
    BundleGroup group(*bundles_, pattern_);
    EXPECT_EQ(group.bundles_within(1), 1U);
    const std::uint64_t two = 2 * group.max_bundle_bytes();
    EXPECT_LE(group.bundles_within(two), 2U);
    EXPECT_LE(group.bundles_within(~std::uint64_t{0}), BundleGroup::kFullBundles);
}

// Around the size from which on the pattern is referred to, not copied, and around its stretch.
INSTANTIATE_TEST_SUITE_P(Sizes, BundleGroupOf,
                         testing::Combine(testing::Values(std::uint8_t{6}, std::uint8_t{7}),
                                          testing::Values(48, 49, 100, 4143, 4144, 4145, 16431,
                                                          16432, 16433, 262'144, 1'000'000)));

}  // namespace
}  // namespace farlink::traffic::bundle_group_test
