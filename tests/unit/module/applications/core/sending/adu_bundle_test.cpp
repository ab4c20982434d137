// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/sending/adu_bundle.hpp"

#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "common/bp/v6/builder.hpp"
#include "tests/support/octets.hpp"

namespace farlink::applications::adu_bundle_test {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

class AduBundleTest : public testing::Test {
protected:
    AduFields fields(std::uint64_t payload_bytes) {
        AduFields fields;
        fields.primary.destination = bp::ipn_eid(20, 1);
        fields.primary.source = bp::ipn_eid(10, 42);
        fields.primary.creation_time_ms = 800'000'000'000;
        fields.primary.lifetime_ms = 1000;
        fields.payload_bytes = payload_bytes;
        return fields;
    }
    /// The bundle of a payload that comes in pieces of that size.
    Bytes make(const AduFields &fields, std::size_t piece) {
        const Bytes payload = test::octets_of(fields.payload_bytes, 3);
        ReceivedBundles out;
        bundle.begin(fields);
        for (std::size_t at = 0; at < payload.size(); at += piece) {
            const SlabRef slab = pool.acquire();
            const std::size_t size = std::min(piece, payload.size() - at);
            std::copy_n(payload.begin() + static_cast<std::ptrdiff_t>(at), size, slab->data);
            EXPECT_TRUE(bundle.add(slab, {slab->data, size}, memory, kNoLimit, out));
        }
        EXPECT_TRUE(bundle.finish(out, memory));
        EXPECT_EQ(out.bundles.size(), 1U);
        slices = out.bundles[0].slice_count;
        const auto view = bp::parse(out.slices_of(out.bundles[0]));
        EXPECT_TRUE(view) << to_string(view.error());
        if (view) {
            EXPECT_EQ(view->payload_length, fields.payload_bytes);
            EXPECT_EQ(view->source, bp::ipn_eid(10, 42));
            EXPECT_EQ(view->version, fields.version);
            hops = view->has_hop_count ? view->hop_limit : 0;
            EXPECT_EQ(view->has_age, fields.primary.creation_time_ms == 0);
        }
        return test::joined(out.slices_of(out.bundles[0]));
    }

    SlabPool pool{8 * 1024, 1024 * 1024};
    HeadMemory memory{pool};
    AduBundle bundle;
    std::uint32_t slices = 0;
    std::uint32_t hops = 0;
};

TEST_F(AduBundleTest, TheSameBundleInWhateverPiecesItsPayloadComes) {
    for (const std::size_t size : {1UL, 23UL, 24UL, 4000UL, 5000UL, 20'000UL}) {
        const Bytes whole = make(fields(size), 8000);
        EXPECT_EQ(make(fields(size), 700), whole);
        EXPECT_EQ(make(fields(size), 1 + size / 3), whole);
    }
}

TEST_F(AduBundleTest, ABundleOfVersion6InWhateverPiecesItsPayloadComes) {
    for (const std::size_t size : {0UL, 1UL, 127UL, 128UL, 4000UL, 5000UL, 20'000UL}) {
        AduFields each = fields(size);
        each.version = 6;
        const Bytes whole = make(each, 8000);
        EXPECT_EQ(make(each, 700), whole);
        EXPECT_EQ(make(each, 1 + size / 3), whole);
    }
    AduFields each = fields(6000);
    each.version = 6;
    (void)make(each, 8000);
    EXPECT_EQ(slices, 2U) << "head and payload: nothing follows";
}

TEST_F(AduBundleTest, Version6HasItsOwnFields) {
    AduFields each = fields(10);
    each.version = 6;
    each.primary.flags = bp::v7::kReportDeliveryFlag | bp::v7::kStatusTimeRequested;
    each.primary.report_to = bp::ipn_eid(10, 42);
    each.primary.sequence = 9;
    each.primary.lifetime_ms = 30'000;
    each.priority = Priority::kExpedited;
    const Bytes octets = make(each, 100);
    const ByteView whole(octets);
    const auto view = bp::parse({&whole, 1});
    ASSERT_TRUE(view);
    EXPECT_EQ(view->flags, bp::v6::kSingletonDestination | bp::v6::kReportDeliveryFlag |
                               bp::v6::priority_flags(Priority::kExpedited));
    EXPECT_EQ(view->creation_time, 800'000'000U) << "seconds";
    EXPECT_EQ(view->sequence, 9U);
    EXPECT_EQ(view->lifetime_ms, 30'000U);
    EXPECT_EQ(view->destination, bp::ipn_eid(20, 1));
    EXPECT_EQ(view->report_to, bp::ipn_eid(10, 42));
    EXPECT_TRUE(view->custodian.is_null());
    each.primary.creation_time_ms = 0;
    (void)make(each, 100);
}

TEST_F(AduBundleTest, Version6HasEndpointsOfEitherScheme) {
    const bp::Eid destination = *bp::Eid::parse("dtn://far/inbox");
    AduFields each = fields(10);
    each.version = 6;
    each.primary.destination = destination.view();
    const Bytes octets = make(each, 100);
    const ByteView whole(octets);
    const auto view = bp::parse({&whole, 1});
    ASSERT_TRUE(view);
    EXPECT_EQ(bp::to_string(view->destination), "dtn://far/inbox");
}

TEST_F(AduBundleTest, ASmallPayloadIsOneSlice) {
    (void)make(fields(1000), 8000);
    EXPECT_EQ(slices, 1U);
    (void)make(fields(6000), 8000);
    EXPECT_EQ(slices, 3U) << "head, payload, tail";
}

TEST_F(AduBundleTest, EveryCrcTypeIsRight) {
    for (const auto crc :
         {bp::v7::CrcType::kNone, bp::v7::CrcType::kCrc16, bp::v7::CrcType::kCrc32c}) {
        AduFields each = fields(5000);
        each.crc_type = crc;
        (void)make(each, 3000);
    }
}

TEST_F(AduBundleTest, BlocksForHopsAndAge) {
    AduFields each = fields(0);
    each.hop_limit = 30;
    each.primary.creation_time_ms = 0;
    (void)make(each, 1);
    EXPECT_EQ(hops, 30U);
}

TEST_F(AduBundleTest, WithoutMemoryItIsGivenUp) {
    SlabPool small(1024, 2048);
    HeadMemory heads(small);
    const SlabRef one = small.acquire();
    const SlabRef two = small.acquire();
    bundle.begin(fields(10));
    ReceivedBundles out;
    EXPECT_FALSE(bundle.add(one, {one->data, 10}, heads, kNoLimit, out));
    bundle.abandon();
    EXPECT_FALSE(bundle.under_way());
}

TEST_F(AduBundleTest, WhatIsTooLargeForMemoryLeavesInPieces) {
    for (const std::uint8_t version : {std::uint8_t{7}, std::uint8_t{6}}) {
        const Bytes payload = test::octets_of(10'000, 3);
        Bytes whole;
        std::size_t entries = 0;
        const auto take = [&](ReceivedBundles &out) {
            for (const ReceivedBundle &entry : out.bundles) {
                EXPECT_EQ(entry.is_further, entries > 0);
                EXPECT_LE(entry.size, 3000U);
                for (const ByteView slice : out.slices_of(entry)) append(whole, slice);
                ++entries;
            }
            out.clear();
        };
        ReceivedBundles out;
        AduFields each = fields(payload.size());
        each.version = version;
        bundle.begin(each);
        for (std::size_t at = 0; at < payload.size(); at += 1000) {
            const SlabRef slab = pool.acquire();
            std::copy_n(payload.begin() + static_cast<std::ptrdiff_t>(at), 1000, slab->data);
            ASSERT_TRUE(bundle.add(slab, {slab->data, 1000}, memory, 3000, out));
            take(out);
        }
        EXPECT_TRUE(bundle.in_pieces());
        ASSERT_TRUE(bundle.finish(out, memory));
        ASSERT_EQ(out.bundles.size(), 1U);
        EXPECT_FALSE(out.bundles[0].more);
        take(out);
        EXPECT_GT(entries, 3U);
        const ByteView octets(whole);
        const auto view = bp::parse({&octets, 1});
        ASSERT_TRUE(view) << to_string(view.error());
        EXPECT_EQ(view->payload_length, payload.size());
    }
}

TEST_F(AduBundleTest, PiecesOfAnAbandonedBundleAreBrokenOff) {
    ReceivedBundles out;
    bundle.begin(fields(10'000));
    const SlabRef slab = pool.acquire();
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(bundle.add(slab, {slab->data, 1000}, memory, 1500, out));
    bundle.abandon(out);
    ASSERT_FALSE(out.bundles.empty());
    EXPECT_TRUE(out.bundles.back().breaks_off());
    EXPECT_FALSE(bundle.in_pieces());
}

}  // namespace
}  // namespace farlink::applications::adu_bundle_test
