// SPDX-License-Identifier: Apache-2.0
// Bundles that are stored piece by piece while they arrive: what counts, and what leaves no trace.
#include "module/storage/core/write/spool_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/module/storage/core/spool_rig.hpp"

namespace farlink::test::spool_writer_test {
namespace {

using storage::StorageCounter;
using Outcomes = std::vector<Outcome>;

class SpoolWriterTest : public ::testing::Test {
protected:
    SimDirectory directory_;
    Rig rig_{directory_};
    Bytes whole_ = encode(spooled_spec());
    std::size_t pieces_ = piece_count(whole_);

    void open_link20(Rig &rig) {
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
        rig.run_for(seconds(1));
    }
    void expect_nothing_held(Rig &rig) {
        EXPECT_EQ(used_bytes(rig), 0U);
        EXPECT_EQ(rig.core().figures().held(), 0U);
        EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 0U);
        EXPECT_EQ(rig.count(StorageCounter::kStoredBytes), 0U);
    }
    [[nodiscard]] Outcomes last_outcomes(std::size_t count) const {
        return {rig_.piece_outcomes.end() - static_cast<std::ptrdiff_t>(count),
                rig_.piece_outcomes.end()};
    }
};

TEST_F(SpoolWriterTest, TheBundleIsStoredWithItsLastPiece) {
    store_pieces(rig_, whole_, 1, 0, pieces_ - 1);
    EXPECT_EQ(rig_.piece_outcomes, Outcomes(pieces_ - 1, Outcome::kStored));
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 0U);
    EXPECT_EQ(rig_.core().figures().held(), 0U);
    EXPECT_GT(used_bytes(rig_), 9000U);
    store_pieces(rig_, whole_, 1, pieces_ - 1, pieces_);
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 1U);
    EXPECT_EQ(rig_.count(StorageCounter::kStoredBytes), whole_.size());
    EXPECT_EQ(rig_.count(StorageCounter::kStoredTotal), 1U);
    EXPECT_EQ(rig_.core().figures().held(), 1U);
    EXPECT_EQ(rig_.count(StorageCounter::kSetsIncomplete), 0U);
}

TEST_F(SpoolWriterTest, ItLeavesAsItCame) {
    open_link20(rig_);
    store_spooled(rig_, whole_);
    rig_.run_for(seconds(1));
    EXPECT_EQ(left_in_pieces(rig_), std::vector<Bytes>{whole_});
    EXPECT_EQ(rig_.count(StorageCounter::kReleased), 1U);
    EXPECT_EQ(rig_.count(StorageCounter::kJoined), 0U);
    expect_nothing_held(rig_);
}

TEST_F(SpoolWriterTest, OnePieceMayBeAllOfIt) {
    rig_.store_piece(whole_, 1, 0, whole_.size());
    open_link20(rig_);
    EXPECT_EQ(left_in_pieces(rig_), std::vector<Bytes>{whole_});
    expect_nothing_held(rig_);
}

TEST_F(SpoolWriterTest, PiecesMayBeOnTheirWayTogether) {
    const auto bounds = piece_bounds(whole_.size());
    for (std::size_t at = 0; at < pieces_; ++at)
        rig_.store_piece(whole_, 1, bounds[at], bounds[at + 1]);
    rig_.run_for(kRigMoment);
    EXPECT_EQ(rig_.piece_outcomes, Outcomes(pieces_, Outcome::kStored));
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 1U);
}

TEST_F(SpoolWriterTest, WhatIsDroppedIsErased) {
    store_pieces(rig_, whole_, 1, 0, 3);
    rig_.drop_pieces(1);
    rig_.run_for(seconds(2));
    expect_nothing_held(rig_);
    // Its number may stand for another bundle now.
    store_spooled(rig_, whole_);
}

TEST_F(SpoolWriterTest, APieceThatIsBeingWrittenIsErasedWhenItIsFlushed) {
    store_pieces(rig_, whole_, 1, 0, 1);
    const auto bounds = piece_bounds(whole_.size());
    rig_.store_piece(whole_, 1, bounds[1], bounds[2]);
    rig_.drop_pieces(1);
    EXPECT_GT(used_bytes(rig_), 0U);
    rig_.run_for(seconds(2));
    EXPECT_EQ(rig_.piece_outcomes, (Outcomes{Outcome::kStored, Outcome::kNoSpace}));
    expect_nothing_held(rig_);
}

TEST_F(SpoolWriterTest, AnIngressThatIsLostLeavesNoPieces) {
    store_pieces(rig_, whole_, 1, 0, 2);
    const Bytes other = encode(spooled_spec(2));
    rig_.store_piece(other, 1, 0, kFirstPiece, 1);  // of another instance
    rig_.run_for(kRigMoment);
    const std::uint64_t before = used_bytes(rig_);
    rig_.core().handle(bus::ModuleLost{bus::AgentId::kIngress}, rig_.now);
    rig_.run_for(seconds(2));
    EXPECT_LT(used_bytes(rig_), before);
    EXPECT_GT(used_bytes(rig_), kFirstPiece);
    rig_.store_piece(other, 1, kFirstPiece, other.size(), 1);
    rig_.run_for(kRigMoment);
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 1U);
    EXPECT_EQ(rig_.piece_outcomes.back(), Outcome::kStored);
}

TEST_F(SpoolWriterTest, WithoutThePiecesBeforeNoneIsTaken) {
    store_pieces(rig_, whole_, 1, 1, 2);
    EXPECT_EQ(rig_.piece_outcomes, (Outcomes{Outcome::kNoSpace}));
    store_pieces(rig_, whole_, 1, 0, 1);
    store_pieces(rig_, whole_, 1, 2, pieces_);  // one is missing
    EXPECT_EQ(last_outcomes(pieces_ - 2), Outcomes(pieces_ - 2, Outcome::kIoError));
    rig_.run_for(seconds(2));
    expect_nothing_held(rig_);
}

TEST_F(SpoolWriterTest, ABundleThatNeverFitsIsRefusedAtOnce) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 8000;
    Rig rig(directory, options);
    store_pieces(rig, whole_, 1, 0, pieces_);
    EXPECT_EQ(rig.piece_outcomes, Outcomes(pieces_, Outcome::kNoSpace));
    EXPECT_EQ(rig.count(StorageCounter::kRefused), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kRefusedTooLarge), 1U) << "the store is empty";
    expect_nothing_held(rig);
}

TEST_F(SpoolWriterTest, WithoutRoomOnItsWayNothingOfItStays) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 12'000;
    Rig rig(directory, options);
    BundleSpec other = bundle_numbered(2);
    other.payload_bytes = 4000;
    EXPECT_EQ(rig.store_octets(encode(other)), Outcome::kStored);
    const std::uint64_t before = used_bytes(rig);
    store_pieces(rig, whole_, 1, 0, pieces_);
    EXPECT_EQ(rig.piece_outcomes.front(), Outcome::kStored);
    EXPECT_EQ(rig.piece_outcomes.back(), Outcome::kNoSpace);
    EXPECT_TRUE(std::ranges::is_sorted(rig.piece_outcomes));  // none is stored behind it
    EXPECT_EQ(rig.count(StorageCounter::kRefused), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kRefusedTooLarge), 1U);
    rig.run_for(seconds(2));
    EXPECT_EQ(used_bytes(rig), before);
    // It keeps no others from being stored.
    EXPECT_EQ(rig.store_octets(encode(bundle_numbered(3))), Outcome::kStored);
}

TEST_F(SpoolWriterTest, WithoutRoomForItsFirstPieceTheStoreIsFull) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 12'000;
    Rig rig(directory, options);
    BundleSpec other = bundle_numbered(2);
    other.payload_bytes = 11'500;
    EXPECT_EQ(rig.store_octets(encode(other)), Outcome::kStored);
    store_pieces(rig, whole_, 1, 0, pieces_);
    EXPECT_EQ(rig.piece_outcomes, Outcomes(pieces_, Outcome::kNoSpace));
    EXPECT_EQ(rig.count(StorageCounter::kRefused), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kRefusedTooLarge), 0U);
}

TEST_F(SpoolWriterTest, AWriteThatFailsEndsIt) {
    store_pieces(rig_, whole_, 1, 0, 2);
    directory_.set_capacity(2000);
    store_pieces(rig_, whole_, 1, 2, 3);
    directory_.set_capacity(1 << 20U);
    store_pieces(rig_, whole_, 1, 3, pieces_);
    EXPECT_EQ(last_outcomes(pieces_ - 2), Outcomes(pieces_ - 2, Outcome::kNoSpace));
    rig_.run_for(seconds(2));
    expect_nothing_held(rig_);
    store_spooled(rig_, whole_, 2);
}

TEST_F(SpoolWriterTest, PiecesBehindAFailedOneAreErasedThoughTheyWereWritten) {
    const auto bounds = piece_bounds(whole_.size());
    rig_.store_piece(whole_, 1, 0, bounds[1]);
    directory_.faults().fail_at(0, SimFaults::FileError::kIo);
    for (std::size_t at = 1; at < pieces_; ++at)
        rig_.store_piece(whole_, 1, bounds[at], bounds[at + 1]);
    rig_.run_for(seconds(2));
    EXPECT_NE(rig_.piece_outcomes.back(), Outcome::kStored);
    expect_nothing_held(rig_);
}

TEST_F(SpoolWriterTest, ABundleThatIsHeldIsNotWrittenAgain) {
    EXPECT_EQ(rig_.store_octets(whole_), Outcome::kStored);
    const std::uint64_t before = used_bytes(rig_);
    store_pieces(rig_, whole_, 1, 0, pieces_);
    EXPECT_EQ(rig_.piece_outcomes, Outcomes(pieces_, Outcome::kDuplicate));
    EXPECT_EQ(rig_.count(StorageCounter::kDuplicates), 1U);
    EXPECT_EQ(used_bytes(rig_), before);
}

TEST_F(SpoolWriterTest, OneThatIsStoredInPiecesIsFoundByItsIdentity) {
    store_spooled(rig_, whole_);
    EXPECT_EQ(rig_.store_octets(whole_), Outcome::kDuplicate);
    rig_.piece_outcomes.clear();
    store_pieces(rig_, whole_, 2, 0, pieces_);
    EXPECT_EQ(rig_.piece_outcomes, Outcomes(pieces_, Outcome::kDuplicate));
    EXPECT_EQ(rig_.count(StorageCounter::kDuplicates), 2U);
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 1U);
}

TEST_F(SpoolWriterTest, AnEqualBundleMayComeMeanwhile) {
    store_pieces(rig_, whole_, 1, 0, pieces_ - 1);
    EXPECT_EQ(rig_.store_octets(whole_), Outcome::kStored);
    store_pieces(rig_, whole_, 1, pieces_ - 1, pieces_);
    EXPECT_EQ(rig_.piece_outcomes.back(), Outcome::kDuplicate);
    rig_.run_for(seconds(2));
    EXPECT_LT(used_bytes(rig_), whole_.size() + 200);
    EXPECT_EQ(rig_.count(StorageCounter::kDuplicates), 1U);
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 1U);
}

TEST_F(SpoolWriterTest, OfTwoArrivalsAtATimeTheFirstCompleteOneStays) {
    for (std::size_t at = 0; at + 1 < pieces_; ++at)
        for (const std::uint64_t spool : {1, 2}) store_pieces(rig_, whole_, spool, at, at + 1);
    store_pieces(rig_, whole_, 2, pieces_ - 1, pieces_);
    store_pieces(rig_, whole_, 1, pieces_ - 1, pieces_);
    EXPECT_EQ(last_outcomes(2), (Outcomes{Outcome::kStored, Outcome::kDuplicate}));
    open_link20(rig_);
    EXPECT_EQ(left_in_pieces(rig_), std::vector<Bytes>{whole_});
    expect_nothing_held(rig_);
}

TEST_F(SpoolWriterTest, ItExpiresWhileItArrives) {
    BundleSpec spec = spooled_spec();
    spec.lifetime_ms = 60'000;
    const Bytes whole = encode(spec);
    store_pieces(rig_, whole, 1, 0, 2);
    rig_.run_for(seconds(120));
    expect_nothing_held(rig_);
    EXPECT_EQ(rig_.count(StorageCounter::kExpired), 0U) << "ingress counts it";
    store_pieces(rig_, whole, 1, 2, pieces_);
    EXPECT_EQ(last_outcomes(pieces_ - 2), Outcomes(pieces_ - 2, Outcome::kExpired));
}

TEST_F(SpoolWriterTest, ItExpiresOnce) {
    BundleSpec spec = spooled_spec();
    spec.lifetime_ms = 60'000;
    store_spooled(rig_, encode(spec));
    rig_.run_for(seconds(120));
    EXPECT_EQ(rig_.count(StorageCounter::kExpired), 1U);
    expect_nothing_held(rig_);
}

TEST_F(SpoolWriterTest, ItsDeletionIsReported) {
    SimDirectory directory;
    RigOptions options;
    options.reports = true;
    Rig rig(directory, options);
    BundleSpec spec = spooled_spec();
    spec.report_deletion = true;
    spec.lifetime_ms = 60'000;
    store_spooled(rig, encode(spec));
    rig.run_for(seconds(120));
    ASSERT_EQ(rig.reports.size(), 1U);
    EXPECT_EQ(rig.reports[0].payload_length, spec.payload_bytes);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
    expect_nothing_held(rig);
}

TEST_F(SpoolWriterTest, ItMakesRoomForOthers) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 12'000;
    options.when_full = config::WhenFull::kMakeRoom;
    Rig rig(directory, options);
    store_spooled(rig, whole_);
    BundleSpec other = bundle_numbered(2);
    other.payload_bytes = 4000;
    EXPECT_EQ(rig.store_octets(encode(other)), Outcome::kStored);
    EXPECT_EQ(rig.count(StorageCounter::kDeletedToMakeRoom), 1U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 1U);
}

TEST_F(SpoolWriterTest, OthersMakeRoomForIt) {
    SimDirectory directory;
    RigOptions options;
    options.capacity_bytes = 12'000;
    options.when_full = config::WhenFull::kMakeRoom;
    Rig rig(directory, options);
    rig.store(bundles_numbered(2, 30));
    rig.run_for(kRigMoment);
    store_spooled(rig, whole_);
    EXPECT_GT(rig.count(StorageCounter::kDeletedToMakeRoom), 10U);
}

TEST_F(SpoolWriterTest, AnOperatorSeesAndDeletesIt) {
    store_spooled(rig_, whole_);
    store_pieces(rig_, encode(spooled_spec(2)), 2, 0, 2);  // incomplete
    bus::StoreRequest request;
    request.limit = 10;
    const bus::StoreReply listed = rig_.ask_store(request);
    ASSERT_EQ(listed.bundles.size(), 1U);
    EXPECT_EQ(listed.bundles[0].bytes, whole_.size());
    request.verb = bus::StoreVerb::kSets;
    EXPECT_TRUE(rig_.ask_store(request).sets.empty());
    request.verb = bus::StoreVerb::kDelete;
    const bus::StoreReply deleted = rig_.ask_store(request);
    EXPECT_EQ(deleted.deleted, 1U);
    EXPECT_EQ(deleted.deleted_bytes, whole_.size());
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 0U);
    rig_.drop_pieces(2);
    rig_.run_for(seconds(2));
    expect_nothing_held(rig_);
}

// ---- restarts

TEST_F(SpoolWriterTest, ARestartKeepsWhatIsWhole) {
    SimDirectory directory;
    {
        Rig before(directory);
        store_spooled(before, whole_);
        store_pieces(before, encode(spooled_spec(2)), 2, 0, 3);
    }
    directory.kill();
    Rig after(directory);
    EXPECT_EQ(after.count(StorageCounter::kRestored), 1U);
    EXPECT_EQ(after.count(StorageCounter::kStoredBytes), whole_.size());
    EXPECT_EQ(after.store_octets(whole_), Outcome::kDuplicate);
    open_link20(after);
    EXPECT_EQ(left_in_pieces(after), std::vector<Bytes>{whole_});
    expect_nothing_held(after);
}

TEST_F(SpoolWriterTest, APieceThatIsDamagedAtARestartKeepsTheOthersFromBeingErased) {
    SimDirectory directory;
    {
        Rig before(directory);
        store_spooled(before, whole_);
    }
    directory.kill();
    Bytes &log = directory.content(directory.files().front());
    const auto at = std::ranges::search(log, ByteView(whole_).subspan(4000, 500));
    ASSERT_FALSE(at.empty());
    *at.begin() ^= 0xffU;
    Rig after(directory);
    EXPECT_EQ(after.count(StorageCounter::kRestored), 0U);
    EXPECT_GT(used_bytes(after), whole_.size());
    open_link20(after);
    EXPECT_TRUE(after.released_pieces.empty());
    after.run_for(seconds(3600));
    expect_nothing_held(after);
}

TEST_F(SpoolWriterTest, ItsPiecesMayLieOnSeveralDisks) {
    SimDirectory one;
    SimDirectory other;
    const RigOptions options;
    {
        Rig before({&one, &other}, options);
        store_spooled(before, whole_);
        EXPECT_GT(used_bytes(before), 0U);
        EXPECT_LT(used_bytes(before), whole_.size());
    }
    one.kill();
    other.kill();
    Rig after({&one, &other}, options);
    EXPECT_EQ(after.count(StorageCounter::kRestored), 1U);
    open_link20(after);
    EXPECT_EQ(left_in_pieces(after), std::vector<Bytes>{whole_});
    expect_nothing_held(after);
}

}  // namespace
}  // namespace farlink::test::spool_writer_test
