// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/queries/piece_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "common/codec/crc.hpp"
#include "tests/unit/module/storage/core/spool_rig.hpp"

namespace farlink::test::piece_reader_test {
namespace {

using bus::BundlePiece;
using bus::BundlePieceRequest;
using bus::PieceFault;
using storage::PieceReader;

constexpr bus::RequestId kId{78};

/// The number of the only bundle that is held.
std::uint64_t only_bundle(Rig &rig) {
    bus::StoreRequest list;
    list.limit = 10;
    const bus::StoreReply reply = rig.ask_store(list, seconds(3));
    EXPECT_EQ(reply.bundles.size(), 1U);
    return reply.bundles.empty() ? 0 : reply.bundles.front().bundle;
}

/// All octets of a bundle, by pieces of `limit`.
Bytes read_all(Rig &rig, std::uint64_t bundle, std::uint32_t limit) {
    Bytes all;
    BundlePieceRequest request{kId, bundle, 0, 0, limit};
    for (std::uint8_t stripes = 1; request.stripe < stripes; ++request.stripe) {
        Bytes stripe;
        request.offset = 0;
        for (;;) {
            const BundlePiece piece = rig.ask_piece(request);
            EXPECT_EQ(piece.id, kId);
            EXPECT_EQ(piece.fault, PieceFault::kNone);
            EXPECT_LE(piece.octets.size(), std::min(limit, PieceReader::kMostPieceBytes));
            if (piece.fault != PieceFault::kNone || piece.octets.empty()) return all;
            stripes = piece.stripes;
            append(stripe, piece.octets);
            request.offset += piece.octets.size();
            if (request.offset < piece.stripe_bytes) continue;
            EXPECT_EQ(codec::crc32c(stripe), piece.crc32c);
            break;
        }
        append(all, stripe);
    }
    return all;
}

TEST(PieceReader, PiecesMakeTheBundle) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec spec = bundle_numbered(1);
    spec.payload_bytes = 3000;
    rig.store({spec});
    rig.run_for(kRigMoment);
    const std::uint64_t bundle = only_bundle(rig);
    for (const std::uint32_t limit : {1U << 31, 1000U, 999U, 7U})
        EXPECT_EQ(read_all(rig, bundle, limit), encode(spec)) << limit;
    EXPECT_EQ(rig.core().figures().held(), 1U);
}

TEST(PieceReader, NoPieceIsLargerThanTheBusShouldCarry) {
    SimDirectory directory;
    Rig rig(directory);
    BundleSpec spec = bundle_numbered(1);
    spec.payload_bytes = 2 * PieceReader::kMostPieceBytes;
    rig.store({spec});
    rig.run_for(kRigMoment);
    EXPECT_EQ(read_all(rig, only_bundle(rig), 1U << 31), encode(spec));
}

TEST(PieceReader, StripesFollowEachOther) {
    SimDirectory one;
    SimDirectory two;
    RigOptions options;
    options.stripe_above_bytes = 1000;
    options.segment_bytes = 1 << 20;
    Rig rig({&one, &two}, options);
    BundleSpec spec = bundle_numbered(1);
    spec.payload_bytes = 10'003;
    rig.store({spec});
    rig.run_for(kRigMoment);
    const std::uint64_t bundle = only_bundle(rig);
    EXPECT_EQ(rig.ask_piece({kId, bundle, 0, 0, 10}).stripes, 2);
    EXPECT_EQ(read_all(rig, bundle, 1000), encode(spec));
    EXPECT_EQ(rig.ask_piece({kId, bundle, 2, 0, 10}).fault, PieceFault::kBeyondEnd);
}

TEST(PieceReader, ABundleInPiecesIsReadFromOneToTheNext) {
    SimDirectory directory;
    Rig rig(directory);
    const Bytes whole = encode(spooled_spec());
    store_spooled(rig, whole);
    rig.run_for(kRigMoment);
    const std::uint64_t bundle = only_bundle(rig);
    const std::vector<std::uint64_t> bounds = piece_bounds(whole.size());
    for (const std::uint32_t limit : {1U << 31, 1000U, 333U}) {
        Bytes all;
        while (all.size() < whole.size()) {
            const BundlePiece piece = rig.ask_piece({kId, bundle, 0, all.size(), limit});
            ASSERT_EQ(piece.fault, PieceFault::kNone) << all.size();
            EXPECT_EQ(piece.stripes, bus::BundlePiece::kInPieces);
            EXPECT_EQ(piece.bundle_bytes, whole.size());
            const auto end = std::ranges::upper_bound(bounds, all.size());
            EXPECT_EQ(piece.stripe_bytes, *end);
            EXPECT_EQ(piece.crc32c, codec::crc32c(ByteView(whole).subspan(*std::prev(end),
                                                                          *end - *std::prev(end))));
            ASSERT_FALSE(piece.octets.empty());
            append(all, piece.octets);
            EXPECT_LE(all.size(), *end);
        }
        EXPECT_EQ(all, whole) << limit;
    }
    EXPECT_EQ(rig.ask_piece({kId, bundle, 0, whole.size(), 10}).fault, PieceFault::kBeyondEnd);
    EXPECT_EQ(rig.ask_piece({kId, bundle, 1, 0, 10}).fault, PieceFault::kBeyondEnd);
    EXPECT_EQ(rig.core().figures().held(), 1U);
}

TEST(PieceReader, WhatIsNotThereIsNamed) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({bundle_numbered(1)});
    EXPECT_EQ(rig.ask_piece({kId, (std::uint64_t{1} << 32) + 1, 0, 0, 10}).fault,
              PieceFault::kWriting)
        << "not flushed yet";
    const std::uint64_t bundle = only_bundle(rig);
    const std::uint64_t size = encode(bundle_numbered(1)).size();
    EXPECT_EQ(rig.ask_piece({kId, bundle + 1, 0, 0, 10}).fault, PieceFault::kGone);
    EXPECT_EQ(rig.ask_piece({kId, bundle, 1, 0, 10}).fault, PieceFault::kBeyondEnd);
    EXPECT_EQ(rig.ask_piece({kId, bundle, 0, size, 10}).fault, PieceFault::kBeyondEnd);
    EXPECT_EQ(rig.ask_piece({kId, bundle, 0, ~std::uint64_t{0}, 10}).fault, PieceFault::kBeyondEnd);
    EXPECT_EQ(rig.ask_piece({kId, bundle, 0, size - 1, 10}).octets.size(), 1U);
}

TEST(PieceReader, ADiskThatDoesNotGiveItBackIsNamed) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({bundle_numbered(1)});
    rig.run_for(kRigMoment);
    const std::uint64_t bundle = only_bundle(rig);
    const Bytes before = directory.content(1);
    for (std::size_t at = storage::kDataStart; at < storage::kDataStart + 8; ++at)
        directory.content(1)[at] ^= 1;
    EXPECT_EQ(rig.ask_piece({kId, bundle, 0, 0, 10}).fault, PieceFault::kDamaged);
    directory.content(1) = before;
    directory.faults().set_removed(true);
    EXPECT_EQ(rig.ask_piece({kId, bundle, 0, 0, 10}).fault, PieceFault::kIoError);
    directory.faults().set_removed(false);
    EXPECT_EQ(rig.ask_piece({kId, bundle, 0, 0, 10}).fault, PieceFault::kNone);
    EXPECT_EQ(rig.core().figures().held(), 1U) << "it is not deleted for that";
}

TEST(PieceReader, ABundleThatLeavesWhileItIsReadIsGone) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({bundle_numbered(1)});
    rig.run_for(kRigMoment);
    const std::uint64_t bundle = only_bundle(rig);
    rig.core().handle(BundlePieceRequest{kId, bundle, 0, 0, 10}, rig.now);
    DiskRequestPtr read = rig.core().poll_disk_request(0, rig.now);
    ASSERT_NE(read, nullptr);
    ASSERT_EQ(read->tag, PieceReader::kTag);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.released.size(), 1U);
    rig.core().handle(0, std::move(read), rig.now);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.pieces.size(), 1U);
    EXPECT_EQ(rig.pieces[0].fault, PieceFault::kGone);
}

TEST(PieceReader, TooManyRequestsAreRefused) {
    SimDirectory directory;
    Rig rig(directory);
    rig.store({bundle_numbered(1)});
    rig.run_for(kRigMoment);
    const std::uint64_t bundle = only_bundle(rig);
    for (std::size_t at = 0; at < PieceReader::kMostWaiting + 1; ++at)
        rig.core().handle(BundlePieceRequest{kId, bundle, 0, 0, 10}, rig.now);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.pieces.size(), PieceReader::kMostWaiting + 1);
    EXPECT_EQ(rig.pieces.front().fault, PieceFault::kTooMany) << "refused at once";
    EXPECT_EQ(rig.pieces.back().fault, PieceFault::kNone);
}

}  // namespace
}  // namespace farlink::test::piece_reader_test
