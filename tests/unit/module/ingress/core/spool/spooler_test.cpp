// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/spool/spooler.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::spooler_test {
namespace {

class SpoolerTest : public IngressFixture {
protected:
    static constexpr std::size_t kPiece = 1000;

    SpoolerTest() {
        all_up();
        core().handle_upstream_opened(kUp, true);
    }
    Bytes large(std::uint64_t node = 2) { return bundle(node, 3 * kPiece).octets(); }

    /// One piece of a bundle, read by itself.
    void receive_piece(ByteView octets, bool more, bool is_further, std::uint64_t transfer = 0,
                       std::uint32_t channel = 0) {
        ReceivedBundles received;
        const SlabRef slab = pool.acquire_sized(static_cast<std::uint32_t>(octets.size()));
        std::ranges::copy(octets, slab->data);
        received.first_transfer = transfer;
        received.add(slab, {slab->data, octets.size()});
        received.bundles.back().more = more;
        received.bundles.back().is_further = is_further;
        received.bundles.back().channel = channel;
        received.has_pieces = true;
        core().handle_bundles(kUp, received, now);
        received.clear();
        collect();
    }
    /// All of it, in pieces of kPiece octets; the last `without` octets do not come.
    void receive_in_pieces(const Bytes &octets, std::size_t without = 0) {
        const std::size_t end = octets.size() - without;
        for (std::size_t at = 0; at < end; at += kPiece) {
            const std::size_t size = std::min(kPiece, end - at);
            receive_piece(ByteView(octets).subspan(at, size), at + size < octets.size(), at > 0);
        }
    }
    /// What storage has got of one bundle; a batch without a bundle drops it.
    struct Stored {
        Bytes octets;
        std::size_t pieces = 0;
        bool complete = false;
        bool dropped = false;
    };
    Stored store_all(Outcome outcome = Outcome::kStored) {
        Stored stored;
        while (!at_storage.empty()) {
            const Batch &batch = *at_storage.front();
            EXPECT_TRUE(batch.piece.present());
            if (batch.bundles.empty()) {
                stored.dropped = true;
            } else {
                EXPECT_EQ(batch.piece.offset, stored.octets.size());
                append(stored.octets, content(batch).front());
                ++stored.pieces;
                stored.complete = batch.piece.last();
            }
            answer(outcome);
        }
        return stored;
    }
    /// Storage's answer to the oldest batch. A bundle is counted with its last piece.
    void answer(Outcome outcome) {
        Batch &batch = *at_storage.front();
        batch.uniform = outcome;
        if (!batch.bundles.empty() && batch.piece.last() && outcome == Outcome::kStored)
            storage.increment(telemetry::StorageCounter::kStoredNow);
        if (!batch.bundles.empty() && batch.piece.first() && outcome == Outcome::kDuplicate)
            storage.increment(telemetry::StorageCounter::kDuplicates);
        bus::BatchOutcome message{std::move(at_storage.front())};
        at_storage.pop_front();
        core().handle(std::move(message), now);
        collect();
    }
    std::optional<TransferDisposition> disposition() {
        const auto run = core().upstreams().poll_disposition();
        if (!run) return std::nullopt;
        EXPECT_EQ(run->count, 1U);
        return run->disposition;
    }
};

TEST_F(SpoolerTest, StoresPieceByPieceAndAcknowledgesTheLast) {
    const Bytes octets = large();
    receive_in_pieces(octets);
    EXPECT_TRUE(at_egress.empty()) << "it is never cut through";
    EXPECT_EQ(at_storage.size(), 4U);
    EXPECT_EQ(value(IngressCounter::kInFlight), 1U);
    EXPECT_EQ(disposition(), std::nullopt);
    const Stored stored = store_all();
    EXPECT_EQ(stored.octets, octets);
    EXPECT_TRUE(stored.complete);
    EXPECT_FALSE(stored.dropped);
    EXPECT_EQ(disposition(), TransferDisposition::kSafe);
    EXPECT_EQ(value(IngressCounter::kReceived), 1U);
    EXPECT_EQ(value(IngressCounter::kReceivedBytes), octets.size());
    EXPECT_EQ(value(IngressCounter::kSentToStorage), 1U);
}

TEST_F(SpoolerTest, DropsWhatABrokenTransferLeaves) {
    receive_in_pieces(large(), 500);
    EXPECT_EQ(value(IngressCounter::kInFlight), 1U);
    close(kUp);
    EXPECT_EQ(value(IngressCounter::kInFlight), 0U)
        << "it is counted as deleted, nothing more is lost";
    EXPECT_FALSE(core().idle()) << "storage has its pieces";
    const Stored stored = store_all();
    EXPECT_TRUE(stored.dropped);
    EXPECT_FALSE(stored.complete);
    EXPECT_EQ(disposition(), std::nullopt);
    EXPECT_EQ(value(IngressCounter::kDeletedBrokenOff), 1U);
}

TEST_F(SpoolerTest, ABrokenTransferIsDroppedBehindItsPiecesWhenStorageHasRoomAgain) {
    constexpr std::uint64_t kWithoutRoute = 99;
    receive(bundles(1, kWithoutRoute));
    storage_answers(Outcome::kNoSpace);
    receive_in_pieces(large(), 500);
    close(kUp);
    EXPECT_TRUE(at_storage.empty()) << "all of it waits";
    advance(core().next_timeout() - now);
    ASSERT_GE(at_storage.size(), 3U);
    EXPECT_FALSE(at_storage.front()->piece.present()) << "the older bundle goes first";
    EXPECT_TRUE(at_storage.back()->bundles.empty());
    for (std::size_t n = 1; n + 1 < at_storage.size(); ++n)
        EXPECT_EQ(at_storage[n]->piece.offset, (n - 1) * kPiece);
    storage_answers(Outcome::kStored);
    EXPECT_TRUE(store_all().dropped);
}

TEST_F(SpoolerTest, AnotherBundleOfTheSessionEndsIt) {
    receive_in_pieces(large(), 500);
    receive_in_pieces(large());
    while (at_storage.size() > 1 && !at_storage.front()->bundles.empty()) answer(Outcome::kStored);
    answer(Outcome::kStored);  // dropped
    const Stored second = store_all();
    EXPECT_TRUE(second.complete);
    EXPECT_EQ(disposition(), TransferDisposition::kSafe);
    receive_in_pieces(large(), 500);
    receive(bundles(1, 3));
    EXPECT_EQ(value(IngressCounter::kDeletedBrokenOff), 2U);
    EXPECT_EQ(at_egress.size(), 1U) << "a small one goes its way";
    (void)store_all();
}

/// The session has refused the rest of it and goes on.
TEST_F(SpoolerTest, AnEntryWithoutOctetsBreaksItOff) {
    receive_in_pieces(large(), 500);
    ReceivedBundles received;
    received.bundles.push_back({.more = true, .is_further = true});
    received.has_pieces = true;
    core().handle_bundles(kUp, received, now);
    collect();
    const Stored stored = store_all();
    EXPECT_TRUE(stored.dropped);
    EXPECT_EQ(disposition(), std::nullopt);
    EXPECT_EQ(value(IngressCounter::kDeletedBrokenOff), 1U);
    EXPECT_EQ(value(IngressCounter::kReceived), 1U);
    EXPECT_EQ(value(IngressCounter::kInFlight), 0U);
}

TEST_F(SpoolerTest, LastPieceWaitsForTheCrc) {
    Bytes octets = large();
    octets[2 * kPiece] ^= 1;
    receive_in_pieces(octets);
    const Stored stored = store_all();
    EXPECT_TRUE(stored.dropped);
    EXPECT_EQ(stored.pieces, 3U) << "the last one never goes to storage";
    EXPECT_EQ(malformed(bp::ParseError::kCrcMismatch), 1U);
    EXPECT_EQ(disposition(), TransferDisposition::kNotAcceptable);
}

TEST_F(SpoolerTest, RefusalOfOnePieceIsThatOfTheBundle) {
    const Bytes octets = large();
    receive_piece(ByteView(octets).first(kPiece), true, false);
    answer(Outcome::kNoSpace);
    receive_piece(ByteView(octets).subspan(kPiece, kPiece), true, true);
    receive_piece(ByteView(octets).subspan(2 * kPiece), false, true);
    const Stored stored = store_all();
    EXPECT_EQ(stored.pieces, 0U) << "nothing more of it is stored";
    EXPECT_TRUE(stored.dropped);
    EXPECT_EQ(disposition(), TransferDisposition::kNoResources);
    EXPECT_EQ(value(IngressCounter::kDeletedNoResources), 1U);
    receive_in_pieces(large());
    EXPECT_EQ(at_storage.size(), 4U);
    answer(Outcome::kStored);
    while (!at_storage.empty()) answer(Outcome::kIoError);
    EXPECT_EQ(disposition(), TransferDisposition::kNoResources);
    EXPECT_EQ(value(IngressCounter::kDeletedNoResources), 2U);
}

TEST_F(SpoolerTest, ADuplicateIsSafe) {
    receive_in_pieces(large());
    (void)store_all(Outcome::kDuplicate);
    EXPECT_EQ(disposition(), TransferDisposition::kSafe);
}

TEST_F(SpoolerTest, JudgesByTheHead) {
    receive_in_pieces(large(10));
    EXPECT_TRUE(at_storage.empty()) << "no service takes it";
    EXPECT_EQ(disposition(), TransferDisposition::kNotAcceptable);
    EXPECT_EQ(value(IngressCounter::kDeletedTooLarge), 1U);
    test::TestBundle old = bundle(2, 3 * kPiece);
    old.lifetime_ms = 1;
    old.created_ms = test::kStart - 1000;
    receive_in_pieces(old.octets());
    EXPECT_TRUE(at_storage.empty());
    EXPECT_EQ(disposition(), TransferDisposition::kSafe);
    EXPECT_EQ(value(IngressCounter::kExpired), 1U);
    receive_in_pieces(Bytes(3 * kPiece, 'x'));
    EXPECT_EQ(malformed(bp::ParseError::kUnknownVersion), 1U);
    EXPECT_EQ(disposition(), TransferDisposition::kNotAcceptable);
}

TEST_F(SpoolerTest, ALongHeadInSeveralSlicesIsGathered) {
    const Bytes octets = large();
    ReceivedBundles received;
    std::size_t from = 0;
    for (const std::size_t cut : {std::size_t{5}, std::size_t{40}, kPiece}) {
        const SlabRef slab = pool.acquire_sized(static_cast<std::uint32_t>(cut - from));
        std::ranges::copy(ByteView(octets).subspan(from, cut - from), slab->data);
        received.slices.emplace_back(slab->data, cut - from);
        received.slabs.push_back(slab);
        from = cut;
    }
    received.bundles.push_back({.size = kPiece, .slice_count = 3, .slab_count = 3, .more = true});
    received.has_pieces = true;
    core().handle_bundles(kUp, received, now);
    received.clear();
    collect();
    receive_piece(ByteView(octets).subspan(kPiece), false, true);
    EXPECT_EQ(store_all().octets, octets);
    EXPECT_EQ(disposition(), TransferDisposition::kSafe);
}

TEST_F(SpoolerTest, BundlesOfSeveralChannelsArriveInTurn) {
    const Bytes one = large();
    const Bytes two = bundle(2, 4 * kPiece).octets();
    std::map<std::uint64_t, Bytes> stored;
    const auto store = [&] {
        while (!at_storage.empty()) {
            const Batch &batch = *at_storage.front();
            append(stored[batch.piece.spool], content(batch).front());
            answer(Outcome::kStored);
        }
    };
    receive_piece(ByteView(one).first(kPiece), true, false, 0, 1);
    receive_piece(ByteView(two).first(kPiece), true, false, 0, 2);
    receive_piece(ByteView(one).subspan(kPiece, kPiece), true, true, 0, 1);
    receive(bundles(1, 3));
    EXPECT_EQ(at_egress.size(), 1U) << "a whole one breaks none off";
    receive_piece(ByteView(two).subspan(kPiece), false, true, 1, 2);
    store();
    EXPECT_EQ(disposition(), TransferDisposition::kSafe);
    receive_piece(ByteView(one).subspan(2 * kPiece), false, true, 2, 1);
    store();
    EXPECT_EQ(disposition(), TransferDisposition::kSafe);
    ASSERT_EQ(stored.size(), 2U);
    EXPECT_EQ(stored.begin()->second, one);
    EXPECT_EQ(stored.rbegin()->second, two);
    EXPECT_EQ(value(IngressCounter::kDeletedBrokenOff), 0U);
}

TEST_F(SpoolerTest, TheEndOfASessionEndsAllItsChannels) {
    for (const std::uint32_t channel : {1U, 7U})
        receive_piece(ByteView(large()).first(kPiece), true, false, 0, channel);
    EXPECT_EQ(value(IngressCounter::kInFlight), 2U);
    close(kUp);
    EXPECT_EQ(value(IngressCounter::kInFlight), 0U);
    EXPECT_EQ(value(IngressCounter::kDeletedBrokenOff), 2U);
    while (!at_storage.empty()) answer(Outcome::kStored);
}

// Another ingress has had its first pieces.
TEST_F(SpoolerTest, TheEndOfAnUnknownBundleIsRefused) {
    receive_piece(ByteView(large()).subspan(kPiece, kPiece), true, true);
    EXPECT_EQ(disposition(), std::nullopt);
    receive_piece(ByteView(large()).subspan(2 * kPiece), false, true);
    EXPECT_TRUE(at_storage.empty());
    EXPECT_EQ(disposition(), TransferDisposition::kNoResources);
}

}  // namespace
}  // namespace farlink::ingress::spooler_test
