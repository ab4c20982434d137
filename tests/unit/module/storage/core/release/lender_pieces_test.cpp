// SPDX-License-Identifier: Apache-2.0
// Bundles that leave piece by piece: what is lent at a time, and what becomes of them when a piece
// does not leave.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/bp/parse.hpp"
#include "module/storage/core/release/lender.hpp"
#include "tests/unit/module/storage/core/spool_rig.hpp"

namespace farlink::test::lender_pieces_test {
namespace {

using storage::StorageCounter;

class LenderPiecesTest : public ::testing::Test {
protected:
    static RigOptions two_at_a_time() {
        RigOptions options;
        options.limits.link_bytes = 5000;
        return options;
    }
    SimDirectory directory_;
    Rig rig_{directory_, two_at_a_time()};
    Bytes whole_ = encode(spooled_spec());

    static void open_link20(Rig &rig) {
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
        rig.run_for(kRigMoment);
    }
    void open_link20() { open_link20(rig_); }
    /// The bundle is stored, and its first pieces are lent.
    void begin(Rig &rig) const {
        store_spooled(rig, whole_);
        rig.send_at_once = false;
        open_link20(rig);
    }
    void begin() { begin(rig_); }
    void give_back(Outcome outcome) {
        rig_.set_outcome(0, outcome);
        rig_.run_for(kRigMoment);
    }
    void give_all_back(Outcome outcome) {
        while (!rig_.lent.empty()) give_back(outcome);
    }
    void expect_nothing_held() {
        rig_.run_for(seconds(2));
        EXPECT_EQ(used_bytes(rig_), 0U);
        EXPECT_EQ(rig_.core().figures().held(), 0U);
        EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 0U);
        EXPECT_TRUE(rig_.core().idle());
    }
    [[nodiscard]] std::size_t voids() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            rig_.released_pieces, [](const ReleasedPiece &each) { return each.octets.empty(); }));
    }
};

TEST_F(LenderPiecesTest, EachPieceDescribesTheBundle) {
    store_spooled(rig_, whole_);
    open_link20();
    rig_.run_for(seconds(1));
    ASSERT_EQ(rig_.released_pieces.size(), piece_count(whole_));
    const bp::BundleView view = bp::parse(std::array{ByteView(whole_)}).value();
    const BatchedBundle &first = rig_.released_pieces.front().bundle;
    EXPECT_EQ(first.head_end, view.head_end);
    EXPECT_EQ(first.primary_end, view.primary_end);
    for (const ReleasedPiece &each : rig_.released_pieces) {
        EXPECT_EQ(each.link, kLink20);
        EXPECT_EQ(each.bundle.size, each.octets.size());
        EXPECT_EQ(each.bundle.record, first.record);
        EXPECT_EQ(each.bundle.flow, first.flow);
        EXPECT_EQ(each.bundle.expiry, first.expiry);
        EXPECT_EQ(each.bundle.received, first.received);
        EXPECT_EQ(each.piece.offset + each.bundle.size + each.piece.left, whole_.size());
    }
    expect_nothing_held();
}

TEST_F(LenderPiecesTest, ABundleThatIsLargerThanTheWindowLeaves) {
    constexpr std::uint64_t kMiB = 1024 * 1024;
    SimDirectory directory;
    RigOptions options;
    options.segment_bytes = 64 * kMiB;
    options.limits.link_bytes = 64 * kMiB;
    Rig rig(directory, options);
    BundleSpec spec = spooled_spec();
    spec.payload_bytes = 26 * kMiB;  // seven pieces
    const Bytes whole = encode(spec);
    for (std::uint64_t at = 0; at < whole.size(); at += kPieceBytes) {
        rig.store_piece(whole, 1, at, std::min<std::uint64_t>(at + kPieceBytes, whole.size()));
        rig.run_for(kRigMoment);
    }
    ASSERT_EQ(rig.count(StorageCounter::kStoredNow), 1U);
    rig.send_at_once = false;
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(1));
    for (std::size_t sent = 0; !rig.lent.empty(); ++sent) {
        std::uint64_t lent = 0;
        for (const BatchPtr &batch : rig.lent) lent += batch->bytes;
        EXPECT_LE(lent, storage::SpooledRelease::kWindowBytes);
        EXPECT_EQ(rig.lent.size(), std::min<std::size_t>(4, 7 - sent));
        rig.set_outcome(0, Outcome::kSent);
        rig.run_for(kRigMoment);
    }
    EXPECT_TRUE(left_in_pieces(rig) == std::vector<Bytes>{whole});  // too large to be printed
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(LenderPiecesTest, ASlowLinkHasTwoPiecesAtATime) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bytes = 1000;
    Rig rig(directory, options);
    store_spooled(rig, whole_);
    rig.send_at_once = false;
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(1));
    while (!rig.lent.empty()) {
        EXPECT_LE(rig.lent.size(), 2U);
        rig.set_outcome(0, Outcome::kSent);
        rig.run_for(kRigMoment);
    }
    EXPECT_EQ(left_in_pieces(rig), std::vector<Bytes>{whole_});
}

TEST_F(LenderPiecesTest, NothingElseLeavesByItsLinkMeanwhile) {
    begin();
    BundleSpec urgent = bundle_numbered(2);
    urgent.priority = Priority::kExpedited;
    BundleSpec critical = bundle_numbered(3);
    critical.critical = true;
    BundleSpec elsewhere = bundle_numbered(4);
    elsewhere.destination_node = 30;
    rig_.store({urgent, critical, elsewhere});
    rig_.link_up(kLink30, kNode30);
    rig_.run_for(seconds(1));
    EXPECT_EQ(rig_.released_sequences(), std::vector<std::uint64_t>{4});
    rig_.send_at_once = true;
    give_all_back(Outcome::kSent);
    rig_.run_for(seconds(1));
    EXPECT_EQ(left_in_pieces(rig_), std::vector<Bytes>{whole_});
    EXPECT_EQ(rig_.released.size(), 3U);
    expect_nothing_held();
}

TEST_F(LenderPiecesTest, WhatLeftBeforeItMayBeOutstanding) {
    rig_.store({bundle_numbered(2)});
    rig_.run_for(kRigMoment);
    begin();
    ASSERT_GE(rig_.lent.size(), 2U);
    EXPECT_FALSE(rig_.lent.front()->piece.present());
    give_all_back(Outcome::kSent);
    EXPECT_EQ(left_in_pieces(rig_), std::vector<Bytes>{whole_});
    expect_nothing_held();
}

TEST_F(LenderPiecesTest, APieceThatWasNotSentTakesTheBundleBack) {
    begin();
    give_back(Outcome::kSent);
    give_back(Outcome::kNotSent);
    EXPECT_EQ(rig_.count(StorageCounter::kReturned), 0U) << "others are lent";
    const std::size_t before = rig_.released_pieces.size();
    rig_.link_down(kLink20, kNode20);
    give_all_back(Outcome::kNotSent);
    EXPECT_EQ(rig_.released_pieces.size(), before);
    EXPECT_EQ(rig_.count(StorageCounter::kReturned), 1U);
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 1U);
    rig_.send_at_once = true;
    rig_.link_up(kLink20, kNode20);
    rig_.run_for(seconds(1));
    EXPECT_EQ(left_in_pieces(rig_), std::vector<Bytes>{whole_});
    expect_nothing_held();
}

TEST_F(LenderPiecesTest, ALinkThatGoesDownBreaksItOff) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bytes = 1000;
    Rig rig(directory, options);
    begin(rig);
    ASSERT_EQ(rig.lent.size(), 2U);
    rig.link_down(kLink20, kNode20);
    ASSERT_EQ(rig.lent.size(), 3U);
    EXPECT_TRUE(rig.lent.back()->bundles.empty());
    EXPECT_EQ(rig.lent.back()->piece.spool, rig.lent.front()->piece.spool);
    while (!rig.lent.empty()) rig.set_outcome(0, Outcome::kSent);  // and yet it was not all
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.count(StorageCounter::kReturned), 1U);
    rig.send_at_once = true;
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(1));
    EXPECT_EQ(left_in_pieces(rig), std::vector<Bytes>{whole_});
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(LenderPiecesTest, OnceAllOfItIsLentALinkThatGoesDownChangesNothing) {
    begin();
    while (!rig_.released_pieces.back().piece.last()) give_back(Outcome::kSent);
    ASSERT_FALSE(rig_.lent.empty());
    rig_.link_down(kLink20, kNode20);
    EXPECT_EQ(voids(), 0U);
    give_all_back(Outcome::kSent);
    EXPECT_EQ(rig_.count(StorageCounter::kReleased), 1U);
    expect_nothing_held();
}

TEST_F(LenderPiecesTest, ALinkThatGoesDownBetweenPiecesEndsIt) {
    SimDirectory directory;
    RigOptions options;
    options.limits.memory_bytes = 4000;  // one piece at a time
    Rig rig(directory, options);
    begin(rig);
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.link_down(kLink20, kNode20);
    rig.set_outcome(0, Outcome::kNotSent);
    rig.set_outcome(0, Outcome::kSent);  // the end
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.count(StorageCounter::kReturned), 1U);
    rig.route({{kNode20, kLink30}});
    rig.send_at_once = true;
    rig.link_up(kLink30, kNode20);
    rig.run_for(seconds(1));
    EXPECT_EQ(left_in_pieces(rig), std::vector<Bytes>{whole_});
    EXPECT_EQ(rig.released_pieces.back().link, kLink30);
}

TEST_F(LenderPiecesTest, AnotherRouteBreaksItOff) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bytes = 1000;
    Rig rig(directory, options);
    begin(rig);
    rig.route_by({{kNode20, kLink30}}, kNode30);
    EXPECT_TRUE(rig.released_pieces.back().octets.empty());
    while (!rig.lent.empty()) rig.set_outcome(0, Outcome::kNotSent);
    rig.send_at_once = true;
    rig.link_up(kLink30, kNode30);
    rig.run_for(seconds(1));
    EXPECT_EQ(left_in_pieces(rig), std::vector<Bytes>{whole_});
    EXPECT_EQ(rig.released_pieces.back().link, kLink30);
}

TEST_F(LenderPiecesTest, ARefusedOneWaitsAndGoesAgain) {
    begin();
    give_back(Outcome::kRefused);
    give_all_back(Outcome::kNotSent);
    EXPECT_EQ(rig_.count(StorageCounter::kRefusedNow), 1U);
    EXPECT_EQ(rig_.count(StorageCounter::kReturned), 1U);
    rig_.send_at_once = true;
    rig_.run_for(seconds(3600));
    EXPECT_EQ(left_in_pieces(rig_), std::vector<Bytes>{whole_});
    EXPECT_EQ(rig_.count(StorageCounter::kRefusedNow), 0U);
}

TEST_F(LenderPiecesTest, WhatEgressDeletesIsGone) {
    begin();
    give_back(Outcome::kDeletedHopLimit);
    give_all_back(Outcome::kNotSent);
    EXPECT_EQ(rig_.count(StorageCounter::kUnsendable), 1U);
    expect_nothing_held();
}

TEST_F(LenderPiecesTest, ItExpiresWhileItIsLent) {
    BundleSpec spec = spooled_spec();
    spec.lifetime_ms = 60'000;
    whole_ = encode(spec);
    begin();
    rig_.run_for(seconds(120));
    EXPECT_EQ(rig_.count(StorageCounter::kExpired), 0U);
    give_all_back(Outcome::kNotSent);
    EXPECT_EQ(rig_.count(StorageCounter::kExpired), 1U);
    expect_nothing_held();
}

TEST_F(LenderPiecesTest, OneThatComesBackMeanwhileStays) {
    begin();
    EXPECT_EQ(rig_.store_octets(whole_), Outcome::kDuplicate);
    rig_.link_down(kLink20, kNode20);
    give_all_back(Outcome::kSent);
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 1U);
}

TEST_F(LenderPiecesTest, APieceThatCannotBeReadIsTheEndOfTheBundle) {
    store_spooled(rig_, whole_);
    Bytes &log = directory_.content(directory_.files().front());
    const auto at = std::ranges::find_end(log, ByteView(whole_).subspan(8000, 500));
    ASSERT_FALSE(at.empty());
    *at.begin() ^= 0xffU;
    rig_.send_at_once = false;
    open_link20();
    while (voids() == 0 && !rig_.lent.empty()) give_back(Outcome::kSent);
    EXPECT_EQ(voids(), 1U);
    EXPECT_EQ(rig_.lent.size(), 2U);
    EXPECT_EQ(rig_.count(StorageCounter::kDeletedUnreadable), 0U);
    give_all_back(Outcome::kSent);
    EXPECT_EQ(rig_.count(StorageCounter::kDeletedUnreadable), 1U);
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 0U);
    const auto unreadable = rig_.core().figures().poll_unreadable();
    ASSERT_TRUE(unreadable);
    EXPECT_EQ(unreadable->bytes, whole_.size());
    EXPECT_FALSE(rig_.core().figures().poll_unreadable());
    EXPECT_TRUE(left_in_pieces(rig_).empty());
    // It may be sent again meanwhile.
    store_spooled(rig_, whole_, 2);
    rig_.run_for(seconds(1));
    give_all_back(Outcome::kSent);
    EXPECT_EQ(left_in_pieces(rig_), std::vector<Bytes>{whole_});
    rig_.run_for(seconds(3600));
    expect_nothing_held();
}

TEST_F(LenderPiecesTest, AFirstPieceThatCannotBeReadIsNeverLent) {
    store_spooled(rig_, whole_);
    Bytes &log = directory_.content(directory_.files().front());
    const auto at = std::ranges::search(log, ByteView(whole_).subspan(1000, 500));
    *at.begin() ^= 0xffU;
    open_link20();
    rig_.run_for(seconds(1));
    EXPECT_TRUE(rig_.released_pieces.empty());
    EXPECT_EQ(rig_.count(StorageCounter::kDeletedUnreadable), 1U);
}

TEST_F(LenderPiecesTest, AServiceOfThisNodeDoesNotGetIt) {
    SimDirectory directory;
    RigOptions options;
    options.custody.node = NodeNumber{10};
    Rig rig(directory, options);
    store_spooled(rig, encode(spooled_spec(1, 10)));
    rig.run_for(seconds(2));
    EXPECT_TRUE(rig.released_pieces.empty());
    EXPECT_EQ(rig.count(StorageCounter::kDeletedTooLarge), 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(used_bytes(rig), 0U);
}

TEST_F(LenderPiecesTest, ItDoesNotGoBackToItsPreviousNode) {
    BundleSpec spec = spooled_spec(1, 30);
    spec.previous_node = 20;
    store_spooled(rig_, encode(spec));
    rig_.route_by({{kNode30, kLink20}}, kNode20);
    rig_.link_up(kLink20, kNode20);
    rig_.run_for(seconds(1));
    EXPECT_TRUE(rig_.released_pieces.empty());
    EXPECT_EQ(rig_.count(StorageCounter::kStoredNow), 1U);
}

TEST_F(LenderPiecesTest, ItsPiecesMayMoveWhileItLeaves) {
    SimDirectory directory;
    RigOptions options;
    options.segment_bytes = 4096;
    options.limits.link_bytes = 1000;
    Rig rig(directory, options);
    // What lies around the pieces leaves first.
    const auto bounds = piece_bounds(whole_.size());
    for (std::size_t at = 0; at + 1 < bounds.size(); ++at) {
        rig.store_piece(whole_, 1, bounds[at], bounds[at + 1]);
        BundleSpec other = bundle_numbered(100 + at);
        other.destination_node = 30;
        other.payload_bytes = 3000;
        rig.store({other});
        rig.run_for(kRigMoment);
    }
    rig.routes_to_both();
    rig.link_up(kLink30, kNode30);
    rig.run_for(seconds(2));
    rig.send_at_once = false;
    rig.link_up(kLink20, kNode20);
    rig.run_for(kRigMoment);
    ASSERT_EQ(rig.lent.size(), 2U);
    (void)rig.ask_task(bus::StoreTask::kCompact, bus::TaskVerb::kStart);
    rig.run_for(seconds(2));
    EXPECT_GT(rig.count(StorageCounter::kMoved), 0U);
    while (!rig.lent.empty()) {
        rig.set_outcome(0, Outcome::kSent);
        rig.run_for(kRigMoment);
    }
    EXPECT_EQ(left_in_pieces(rig), std::vector<Bytes>{whole_});
    rig.run_for(seconds(2));
    EXPECT_EQ(used_bytes(rig), 0U);
}

}  // namespace
}  // namespace farlink::test::lender_pieces_test
