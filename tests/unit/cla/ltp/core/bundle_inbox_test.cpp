// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/bundle_inbox.hpp"

#include <gtest/gtest.h>

#include "common/codec/cbor.hpp"
#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp::bundle_inbox_test {
namespace {

/// An array with one byte string, which has the extent of a bundle.
Bytes bundle_of(std::size_t size) {
    Bytes bundle{0x9f};
    codec::append_cbor_head(bundle, codec::CborMajor::kBytes, size);
    bundle.resize(bundle.size() + size, 0x77);
    bundle.push_back(codec::kCborBreak);
    return bundle;
}

struct BundleInboxTest : testing::Test {
    /// Takes octets as a block whose memory is in two slices.
    std::size_t take(const Bytes &octets, std::uint64_t service) {
        ReceivedBlock block;
        block.session = {next_session++, 0};
        block.service = service;
        block.size = octets.size();
        SlabRef slab = slabs.acquire();
        std::ranges::copy(octets, slab->data);
        const std::size_t half = octets.size() / 2;
        block.slices = {{slab->data, half}, {slab->data + half, octets.size() - half}};
        block.slabs = {slab, slab};
        return inbox.take(block, received);
    }
    Bytes bundle(std::size_t index) {
        Bytes octets;
        for (const ByteView slice : received.slices_of(received.bundles[index]))
            append(octets, slice);
        EXPECT_EQ(octets.size(), received.bundles[index].size);
        EXPECT_EQ(received.slabs_of(received.bundles[index]).size(),
                  received.slices_of(received.bundles[index]).size());
        return octets;
    }
    void acknowledge(std::uint64_t first, std::uint32_t count, TransferDisposition disposition) {
        inbox.acknowledge(first, count, disposition, [this](SessionHandle session, bool safe) {
            (safe ? safe_sessions : refused).push_back(session.slot);
        });
    }
    SlabPool slabs{64 * 1024, 1U << 24U};
    BundleInbox inbox;
    ReceivedBundles received;
    std::uint32_t next_session = 100;
    std::vector<std::uint32_t> safe_sessions;
    std::vector<std::uint32_t> refused;
};

TEST_F(BundleInboxTest, ABlockIsABundle) {
    EXPECT_EQ(take(bundle_of(100), kBundleService), 1U);
    EXPECT_EQ(bundle(0), bundle_of(100));
    EXPECT_EQ(received.first_transfer, 0U);
    acknowledge(0, 1, TransferDisposition::kSafe);
    EXPECT_EQ(safe_sessions, std::vector<std::uint32_t>{100});
}

TEST_F(BundleInboxTest, ConsecutiveBundlesAreCutApart) {
    Bytes block;
    for (const std::size_t size : {10, 300, 0, 70'0}) append(block, bundle_of(size));
    EXPECT_EQ(take(block, kBundleService), 4U);
    EXPECT_EQ(bundle(1), bundle_of(300));
    EXPECT_EQ(bundle(3), bundle_of(700));
    EXPECT_EQ(received.slabs.size(), received.slices.size());
}

TEST_F(BundleInboxTest, AnAggregateHasServiceIds) {
    Bytes block;
    for (const std::size_t size : {10, 300}) {
        block.push_back(1);
        append(block, bundle_of(size));
    }
    EXPECT_EQ(take(block, kAggregationService), 2U);
    EXPECT_EQ(bundle(0), bundle_of(10));
    EXPECT_EQ(bundle(1), bundle_of(300));
    block.push_back(3);
    block.push_back(0);
    EXPECT_EQ(take(block, kAggregationService), 2U);
    EXPECT_EQ(inbox.broken_aggregates(), 1U);
    EXPECT_EQ(take({3, 1, 2}, kAggregationService), 0U);
}

TEST_F(BundleInboxTest, OctetsWithoutAnEndAreOneBundle) {
    const Bytes nonsense{0x42, 1, 2, 3};
    EXPECT_EQ(take(nonsense, kBundleService), 1U);
    EXPECT_EQ(bundle(0), nonsense);
}

TEST_F(BundleInboxTest, ABlockIsAcknowledgedWithItsLastBundle) {
    Bytes three;
    for (int i = 0; i < 3; ++i) append(three, bundle_of(10));
    take(three, kBundleService);          // 0 to 2
    take(bundle_of(10), kBundleService);  // 3
    take(three, kBundleService);          // 4 to 6
    acknowledge(3, 2, TransferDisposition::kSafe);
    EXPECT_EQ(safe_sessions, std::vector<std::uint32_t>{101});
    acknowledge(0, 1, TransferDisposition::kSafe);
    acknowledge(5, 2, TransferDisposition::kNoResources);
    EXPECT_EQ(refused, std::vector<std::uint32_t>{102});
    acknowledge(1, 2, TransferDisposition::kNotAcceptable);
    EXPECT_EQ(safe_sessions, (std::vector<std::uint32_t>{101, 100})) << "no repair is due";
    received.clear();
    take(bundle_of(10), kBundleService);
    EXPECT_EQ(received.first_transfer, 7U);
}

}  // namespace
}  // namespace farlink::cla::ltp::bundle_inbox_test
