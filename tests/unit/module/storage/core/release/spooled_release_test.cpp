// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/spooled_release.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::spooled_release_test {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kPiece = 4 * kMiB;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

class SpooledReleaseTest : public ::testing::Test {
protected:
    static constexpr std::uint64_t kBytes = 20'000'000'000;  // more than 32 bits hold
    SpooledRelease spooled_{1, 77, kBytes};

    void read(std::uint64_t bytes) {
        spooled_.handle_queued(bytes);
        spooled_.handle_read();
    }
    void lend(std::uint64_t bytes) {
        read(bytes);
        spooled_.handle_lent(bytes);
    }
};

TEST_F(SpooledReleaseTest, PiecesFollowOneAnother) {
    EXPECT_EQ(spooled_.piece(kPiece), (BundlePiece{77, 0, kBytes - kPiece}));
    lend(kPiece);
    EXPECT_EQ(spooled_.next(), kPiece);
    EXPECT_EQ(spooled_.piece(10), (BundlePiece{77, kPiece, kBytes - kPiece - 10}));
    EXPECT_TRUE(spooled_.piece(kBytes - kPiece).last());
}

TEST_F(SpooledReleaseTest, TheFirstPieceComesAlone) {
    EXPECT_TRUE(spooled_.reads_on());
    spooled_.handle_queued(kPiece);
    EXPECT_FALSE(spooled_.reads_on());
    spooled_.handle_read();
    spooled_.handle_lent(kPiece);
    EXPECT_TRUE(spooled_.reads_on());
}

TEST_F(SpooledReleaseTest, SoMuchIsHeldAtATime) {
    lend(kPiece);
    for (int piece = 1; piece < 4; ++piece) {
        EXPECT_TRUE(spooled_.has_room_for(kPiece, SpooledRelease::kWindowBytes)) << piece;
        lend(kPiece);
    }
    EXPECT_FALSE(spooled_.has_room_for(kPiece, SpooledRelease::kWindowBytes));
    EXPECT_TRUE(spooled_.has_room_for(kPiece, kNoLimit));
    spooled_.handle_back(kPiece);
    EXPECT_TRUE(spooled_.has_room_for(kPiece, SpooledRelease::kWindowBytes));
}

TEST_F(SpooledReleaseTest, OnASlowLinkTwoPiecesAreHeld) {
    lend(kPiece);
    EXPECT_TRUE(spooled_.has_room_for(kPiece, kMiB));
    lend(kPiece);
    EXPECT_FALSE(spooled_.has_room_for(kPiece, kMiB));
}

TEST_F(SpooledReleaseTest, ItIsSentWhenAllPiecesAre) {
    SpooledRelease two{1, 77, 2 * kPiece};
    two.handle_queued(kPiece);
    two.handle_read();
    two.handle_lent(kPiece);
    two.set_outcome(Outcome::kSent);
    two.handle_back(kPiece);
    EXPECT_FALSE(two.over());
    two.handle_queued(kPiece);
    EXPECT_FALSE(two.reads_on());
    two.handle_read();
    two.handle_lent(kPiece);
    EXPECT_FALSE(two.over());
    two.set_outcome(Outcome::kSent);
    two.handle_back(kPiece);
    EXPECT_TRUE(two.over());
    EXPECT_EQ(two.outcome(), Outcome::kSent);
}

TEST_F(SpooledReleaseTest, APieceThatWasNotSentEndsIt) {
    lend(kPiece);
    lend(kPiece);
    spooled_.handle_queued(kPiece);
    spooled_.set_outcome(Outcome::kNotSent);
    spooled_.handle_back(kPiece);
    EXPECT_FALSE(spooled_.reads_on());
    EXPECT_FALSE(spooled_.over());
    spooled_.set_outcome(Outcome::kSent);
    spooled_.handle_back(kPiece);
    EXPECT_FALSE(spooled_.over()) << "one is at the disk";
    spooled_.handle_read();
    spooled_.handle_dropped(kPiece);
    EXPECT_TRUE(spooled_.over());
    EXPECT_EQ(spooled_.outcome(), Outcome::kNotSent);
}

TEST_F(SpooledReleaseTest, ARefusalCountsWhateverCameBefore) {
    lend(kPiece);
    spooled_.set_outcome(Outcome::kNotSent);
    spooled_.set_outcome(Outcome::kRefused);
    spooled_.set_outcome(Outcome::kNotSent);
    EXPECT_EQ(spooled_.outcome(), Outcome::kRefused);
}

}  // namespace
}  // namespace farlink::storage::spooled_release_test
