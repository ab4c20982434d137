// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/bundle_inbox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

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
        inbox.acknowledge(first, count, disposition, now, [this](SessionHandle session, bool safe) {
            (safe ? safe_sessions : refused).push_back(session.slot);
        });
    }
    /// Lets the next pause pass; returns how many bundles are offered again.
    std::size_t offer_again() {
        received.clear();
        now = std::max(now, inbox.next_offer());
        const auto is_open = [this](SessionHandle session) { return session.slot != cancelled; };
        return inbox.offer_again(now, received, is_open) ? received.bundles.size() : 0;
    }
    TimePoint now{seconds(1000)};
    std::uint32_t cancelled = 0;  ///< a session
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
    acknowledge(5, 2, TransferDisposition::kSafe);
    EXPECT_EQ(safe_sessions, (std::vector<std::uint32_t>{101, 102}));
    acknowledge(1, 2, TransferDisposition::kNotAcceptable);
    EXPECT_EQ(safe_sessions, (std::vector<std::uint32_t>{101, 102, 100})) << "no repair is due";
    received.clear();
    take(bundle_of(10), kBundleService);
    EXPECT_EQ(received.first_transfer, 7U);
}

TEST_F(BundleInboxTest, ABlockOfWhichNothingWasTakenIsRefused) {
    Bytes three;
    for (int i = 0; i < 3; ++i) append(three, bundle_of(10));
    take(three, kBundleService);
    acknowledge(1, 2, TransferDisposition::kNoResources);
    EXPECT_TRUE(refused.empty()) << "the first one may be taken";
    acknowledge(0, 1, TransferDisposition::kNotAcceptable);
    EXPECT_EQ(refused, std::vector<std::uint32_t>{100});
    EXPECT_EQ(inbox.next_offer(), kNever);
    EXPECT_EQ(inbox.unacknowledged_bytes(), 0U);
}

TEST_F(BundleInboxTest, BundlesWithoutRoomWaitOnceOneOfTheirBlockWasTaken) {
    Bytes block;
    for (const std::size_t size : {10, 20, 30, 40}) {
        block.push_back(1);
        append(block, bundle_of(size));
    }
    take(block, kAggregationService);  // 0 to 3
    received.clear();
    acknowledge(3, 1, TransferDisposition::kNoResources);
    acknowledge(1, 1, TransferDisposition::kNoResources);
    acknowledge(2, 1, TransferDisposition::kSafe);
    acknowledge(0, 1, TransferDisposition::kSafe);
    EXPECT_TRUE(refused.empty());
    EXPECT_TRUE(safe_sessions.empty());
    EXPECT_EQ(inbox.unacknowledged_bytes(), block.size());
    EXPECT_EQ(inbox.next_offer(), now + milliseconds(100));
    EXPECT_FALSE(inbox.offer_again(now, received, [](SessionHandle) { return true; }));

    take(bundle_of(10), kBundleService);  // 4
    ASSERT_EQ(offer_again(), 2U);
    EXPECT_EQ(received.first_transfer, 5U);
    EXPECT_EQ(bundle(0), bundle_of(20));
    EXPECT_EQ(bundle(1), bundle_of(40));
    acknowledge(5, 1, TransferDisposition::kSafe);
    acknowledge(6, 1, TransferDisposition::kNoResources);
    ASSERT_EQ(offer_again(), 1U);
    EXPECT_EQ(bundle(0), bundle_of(40));
    acknowledge(7, 1, TransferDisposition::kSafe);
    EXPECT_EQ(safe_sessions, std::vector<std::uint32_t>{100});
    acknowledge(4, 1, TransferDisposition::kSafe);
    EXPECT_EQ(inbox.unacknowledged_bytes(), 0U);
    EXPECT_EQ(inbox.next_offer(), kNever);
}

TEST_F(BundleInboxTest, ThePausesGrow) {
    Bytes two;
    for (int i = 0; i < 2; ++i) append(two, bundle_of(10));
    take(two, kBundleService);
    acknowledge(0, 1, TransferDisposition::kSafe);
    acknowledge(1, 1, TransferDisposition::kNoResources);
    std::vector<Duration> pauses;
    for (std::uint64_t transfer = 2; transfer < 9; ++transfer) {
        pauses.push_back(inbox.next_offer() - now);
        ASSERT_EQ(offer_again(), 1U);
        acknowledge(transfer, 1, TransferDisposition::kNoResources);
    }
    EXPECT_EQ(pauses, (std::vector<Duration>{milliseconds(100), milliseconds(200),
                                             milliseconds(400), milliseconds(800),
                                             milliseconds(1600), seconds(2), seconds(2)}));
    EXPECT_TRUE(refused.empty());
}

TEST_F(BundleInboxTest, BundlesOfACancelledBlockAreDropped) {
    Bytes two;
    for (int i = 0; i < 2; ++i) append(two, bundle_of(10));
    take(two, kBundleService);
    acknowledge(0, 1, TransferDisposition::kNoResources);
    acknowledge(1, 1, TransferDisposition::kSafe);
    cancelled = 100;
    EXPECT_EQ(offer_again(), 0U);
    EXPECT_EQ(inbox.unacknowledged_bytes(), 0U);
    EXPECT_EQ(inbox.next_offer(), kNever);
}

TEST_F(BundleInboxTest, TheEndOfTheSessionEndsTheWait) {
    Bytes two;
    for (int i = 0; i < 2; ++i) append(two, bundle_of(10));
    take(two, kBundleService);
    acknowledge(0, 1, TransferDisposition::kSafe);
    acknowledge(1, 1, TransferDisposition::kNoResources);
    inbox.reset();
    EXPECT_EQ(inbox.next_offer(), kNever);
    EXPECT_EQ(inbox.unacknowledged_bytes(), 0U);
}

/// A block of which the octets come in parts.
struct BundleInboxPartsTest : BundleInboxTest {
    static constexpr SessionHandle kSession{500, 3};

    bool take_part(const Bytes &block, std::size_t from, std::size_t size,
                   SessionHandle session = kSession) {
        received.clear();
        ReceivedBlock part;
        part.session = session;
        part.service = kBundleService;
        part.offset = from;
        part.size = size;
        part.more = from + size < block.size();
        SlabRef slab = slabs.acquire_sized(static_cast<std::uint32_t>(size));
        std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(from), size, slab->data);
        part.slices = {{slab->data, size}};
        part.slabs = {slab};
        const bool taken = inbox.take_part(part, received);
        for (std::size_t i = 0; i < received.bundles.size(); ++i) append(joined, bundle(i));
        return taken;
    }
    bool break_off() {
        received.clear();
        ReceivedBlock end;
        end.session = kSession;
        end.offset = 1;
        end.more = true;
        return inbox.take_part(end, received);
    }
    Bytes joined;
};

TEST_F(BundleInboxPartsTest, ALargeBundleLeavesPieceByPiece) {
    const Bytes block = bundle_of(10'000);
    EXPECT_TRUE(take_part(block, 0, 4000));
    ASSERT_EQ(received.bundles.size(), 1U);
    EXPECT_TRUE(received.has_pieces);
    EXPECT_TRUE(received.bundles[0].more);
    EXPECT_FALSE(received.bundles[0].is_further);
    EXPECT_EQ(received.bundles[0].channel, 1U);
    EXPECT_EQ(take(bundle_of(10), kBundleService), 1U) << "others come meanwhile";
    EXPECT_TRUE(take_part(block, 4000, 4000));
    EXPECT_TRUE(received.bundles.at(0).is_further);
    EXPECT_TRUE(take_part(block, 8000, block.size() - 8000));
    ASSERT_EQ(received.bundles.size(), 1U);
    EXPECT_FALSE(received.bundles[0].more);
    EXPECT_EQ(received.first_transfer, 1U) << "it is complete behind the other one";
    EXPECT_EQ(joined, block);
    acknowledge(1, 1, TransferDisposition::kSafe);
    EXPECT_EQ(safe_sessions, std::vector<std::uint32_t>{500});
}

TEST_F(BundleInboxPartsTest, ALargeBundleIsUnacknowledgedAlthoughItsOctetsHaveLeft) {
    EXPECT_TRUE(inbox.all_acknowledged());
    const Bytes block = bundle_of(10'000);
    EXPECT_TRUE(take_part(block, 0, 4000));
    EXPECT_TRUE(take_part(block, 4000, block.size() - 4000));
    EXPECT_EQ(inbox.unacknowledged_bytes(), 0U);
    EXPECT_FALSE(inbox.all_acknowledged());
    acknowledge(0, 1, TransferDisposition::kSafe);
    EXPECT_TRUE(inbox.all_acknowledged());
}

TEST_F(BundleInboxPartsTest, SmallBundlesBeforeItLeaveWhenItIsSafe) {
    Bytes block;
    for (const std::size_t size : {10, 300}) append(block, bundle_of(size));
    const std::size_t small = block.size();
    append(block, bundle_of(3 * kPieceBytes));
    EXPECT_TRUE(take_part(block, 0, 1000));
    EXPECT_TRUE(received.empty()) << "the head of the large one may not be here yet";
    EXPECT_TRUE(take_part(block, 1000, kPieceBytes));
    ASSERT_EQ(received.bundles.size(), 1U);
    EXPECT_TRUE(received.bundles[0].more);
    Bytes large = std::exchange(joined, {});
    EXPECT_TRUE(take_part(block, 1000 + kPieceBytes, block.size() - 1000 - kPieceBytes));
    ASSERT_EQ(received.bundles.size(), 1U);
    append(large, bundle(0));
    EXPECT_EQ(large, bundle_of(3 * kPieceBytes));
    EXPECT_EQ(inbox.unacknowledged_bytes(), small);
    acknowledge(0, 1, TransferDisposition::kSafe);
    EXPECT_TRUE(safe_sessions.empty());
    EXPECT_EQ(inbox.next_offer(), now) << "without a pause";
    EXPECT_FALSE(inbox.all_acknowledged()) << "they wait";
    ASSERT_EQ(offer_again(), 2U);
    EXPECT_EQ(bundle(0), bundle_of(10));
    EXPECT_EQ(bundle(1), bundle_of(300));
    acknowledge(1, 2, TransferDisposition::kNoResources);
    EXPECT_TRUE(refused.empty()) << "the large one was taken";
    ASSERT_EQ(offer_again(), 2U);
    acknowledge(3, 2, TransferDisposition::kSafe);
    EXPECT_EQ(safe_sessions, std::vector<std::uint32_t>{500});
    EXPECT_EQ(inbox.unacknowledged_bytes(), 0U);
}

TEST_F(BundleInboxPartsTest, NothingIsTakenOfABlockWhoseLargeBundleFindsNoRoom) {
    Bytes block = bundle_of(10);
    append(block, bundle_of(3 * kPieceBytes));
    EXPECT_TRUE(take_part(block, 0, 1000 + kPieceBytes));
    EXPECT_TRUE(take_part(block, 1000 + kPieceBytes, block.size() - 1000 - kPieceBytes));
    ASSERT_EQ(received.bundles.size(), 1U);
    acknowledge(0, 1, TransferDisposition::kNoResources);
    EXPECT_EQ(refused, std::vector<std::uint32_t>{500});
    EXPECT_EQ(inbox.next_offer(), kNever);
    EXPECT_EQ(inbox.unacknowledged_bytes(), 0U);
}

TEST_F(BundleInboxPartsTest, SmallBundlesAloneArriveWithTheEnd) {
    Bytes block;
    for (int i = 0; i < 8; ++i) append(block, bundle_of(500));
    EXPECT_TRUE(take_part(block, 0, 2000));
    EXPECT_TRUE(take_part(block, 2000, block.size() - 2000));
    ASSERT_EQ(received.bundles.size(), 8U);
    EXPECT_FALSE(received.has_pieces);
    EXPECT_EQ(bundle(7), bundle_of(500));
    EXPECT_EQ(inbox.unacknowledged_bytes(), block.size());
}

TEST_F(BundleInboxPartsTest, TooManyOfThemAreRefused) {
    std::destroy_at(&inbox);
    std::construct_at(&inbox, 1500);
    Bytes block;
    for (int i = 0; i < 8; ++i) append(block, bundle_of(500));
    EXPECT_FALSE(take_part(block, 0, 2000));
    EXPECT_TRUE(take_part(block, 2000, 1000)) << "the rest is dropped";
    EXPECT_TRUE(received.empty());
}

TEST_F(BundleInboxPartsTest, ABrokenBlockBreaksItsBundleOff) {
    const Bytes block = bundle_of(10'000);
    EXPECT_TRUE(take_part(block, 0, 4000));
    EXPECT_TRUE(take_part(block, 0, 4000, {501, 0}));
    EXPECT_EQ(received.bundles.at(0).channel, 2U);
    EXPECT_TRUE(break_off());
    ASSERT_EQ(received.bundles.size(), 1U);
    EXPECT_TRUE(received.bundles[0].breaks_off());
    EXPECT_EQ(received.bundles[0].channel, 1U);
    EXPECT_TRUE(break_off());
    EXPECT_TRUE(received.empty()) << "once";
    EXPECT_TRUE(take_part(block, 0, 4000, {502, 0}));
    EXPECT_EQ(received.bundles.at(0).channel, 1U) << "it is free again";
}

}  // namespace
}  // namespace farlink::cla::ltp::bundle_inbox_test
