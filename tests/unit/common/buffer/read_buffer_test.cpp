// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/read_buffer.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace farlink::read_buffer_test {
namespace {

constexpr std::uint32_t kSlab = 64 * 1024;
constexpr UpstreamId kOne{1};
constexpr UpstreamId kTwo{2};

TEST(ReadBuffer, HandsOutTheRestOfItsSlab) {
    SlabPool pool(kSlab, 4 * kSlab);
    ReadBuffer buffer(pool);
    const MutableBytes first = buffer.space(1000);
    EXPECT_EQ(first.size(), kSlab);
    buffer.commit(1000);
    const MutableBytes second = buffer.space(kSlab - 1000);
    EXPECT_EQ(second.data(), first.data() + 1000);
    EXPECT_EQ(second.size(), kSlab - 1000);
    EXPECT_EQ(pool.pinned_bytes(), kSlab);
}

TEST(ReadBuffer, LeavesASlabThatIsPinned) {
    SlabPool pool(kSlab, 4 * kSlab);
    ReadBuffer buffer(pool);
    const MutableBytes first = buffer.space(kSlab);
    buffer.commit(kSlab - 10);
    const SlabRef pinned = buffer.slab();
    const MutableBytes next = buffer.space(11);
    EXPECT_NE(next.data(), first.data());
    EXPECT_EQ(next.size(), kSlab);
    EXPECT_EQ(pool.pinned_bytes(), 2 * kSlab);
}

TEST(ReadBuffer, UsesASlabThatNobodyPinsAgain) {
    SlabPool pool(kSlab, kSlab);
    ReadBuffer buffer(pool);
    const MutableBytes first = buffer.space(kSlab);
    buffer.commit(kSlab);
    const MutableBytes again = buffer.space(1);
    EXPECT_EQ(again.data(), first.data());
    EXPECT_EQ(again.size(), kSlab);
    EXPECT_EQ(pool.refusals(), 0U);
}

TEST(ReadBuffer, HasNothingAtTheLimitAndRecovers) {
    SlabPool pool(kSlab, kSlab);
    ReadBuffer buffer(pool);
    (void)buffer.space(1);
    buffer.commit(kSlab);
    SlabRef pinned = buffer.slab();
    EXPECT_TRUE(buffer.space(1).empty());
    EXPECT_TRUE(buffer.space(1).empty());
    pinned.reset();
    EXPECT_EQ(buffer.space(1).size(), kSlab);
}

// Otherwise each session in the middle of a bundle would get a slab.
TEST(ReadBuffer, BesideACrowdOfBundlesOneSessionCompletesItsOwn) {
    SlabPool pool(kSlab, 4 * kSlab);
    ReadBuffer buffer(pool);
    std::uint64_t beside = 4 * kSlab;
    pool.set_beside([&] { return beside; });
    EXPECT_FALSE(buffer.space(1, kOne).empty()) << "it goes beyond the limit";
    buffer.commit(kSlab);
    SlabRef held = buffer.slab();
    EXPECT_TRUE(buffer.space(1, kTwo).empty());
    EXPECT_FALSE(buffer.space(1, kOne).empty());
    buffer.finished(kOne);
    held.reset();
    EXPECT_TRUE(buffer.space(1).empty());
    beside = 0;
    EXPECT_FALSE(buffer.space(1).empty());
}

/// A peer that has sent a part of a block, and then stopped.
struct StoppedPeer final : BlockKeeper {
    explicit StoppedPeer(ReceptionShares &shares)
        : hold(shares, LinkId{1}, "192.0.2.1", false, *this) {}
    [[nodiscard]] std::uint64_t slow_block(TimePoint, const Slowness &) override {
        return hold.bytes();
    }
    void give_up_slow_block(TimePoint, const Slowness &) override { hold.update(0); }
    void give_back(std::uint64_t, TimePoint) override {}
    bool leave_slab() override { return false; }
    ReceptionShares::Hold hold;
};

// TCPCL refuses a bundle for which there is no space.
TEST(ReadBuffer, ANewcomerHasAtOnceWhatPeersGiveUpThatHaveStopped) {
    SlabPool pool(kSlab, 16 * kSlab);
    ReadBuffer buffer(pool);
    std::vector<std::unique_ptr<StoppedPeer>> stopped;
    for (int peers = 0; peers < 7; ++peers) {
        stopped.push_back(std::make_unique<StoppedPeer>(buffer.shares()));
        stopped.back()->hold.update(2 * kSlab);
    }
    ReceptionShares::Hold newcomer(buffer.shares(), LinkId{2}, "192.0.2.2", false, [] {});
    buffer.begin_read(&newcomer, TimePoint{seconds(100)});
    EXPECT_FALSE(buffer.space(100).empty());
    buffer.end_read();
    std::uint64_t held = 0;
    for (const auto &peer : stopped) held += peer->hold.bytes();
    EXPECT_EQ(held, 10 * kSlab) << "no more than the newcomer needs";
}

TEST(ReadBuffer, HoldsNothingAtRestUnlessSomebodyPinsIt) {
    SlabPool pool(kSlab, 4 * kSlab);
    ReadBuffer buffer(pool);
    buffer.rest();
    (void)buffer.space(1);
    buffer.commit(10);
    SlabRef pinned = buffer.slab();
    buffer.rest();
    EXPECT_TRUE(buffer.slab());
    EXPECT_EQ(buffer.space(1).size(), kSlab - 10);
    pinned.reset();
    buffer.rest();
    EXPECT_FALSE(buffer.slab());
    EXPECT_EQ(pool.pinned_bytes(), 0U);
}

/// A pool whose limit is reached, by memory that somebody else holds.
struct FullPool {
    FullPool() : pool(kSlab, 2 * kSlab), buffer(pool) {
        while (SlabRef slab = pool.acquire()) others.push_back(std::move(slab));
    }
    /// Uses up the buffer's slab for a bundle of `session`; false when there is none.
    bool read(UpstreamId session) {
        if (buffer.space(kSlab, session).empty()) return false;
        buffer.commit(kSlab);
        chain.push_back(buffer.slab());
        return true;
    }

    SlabPool pool;
    std::vector<SlabRef> others;
    std::vector<SlabRef> chain;
    ReadBuffer buffer;
};

TEST(ReadBuffer, LetsOneSessionFinishItsBundleBeyondTheLimit) {
    FullPool full;
    EXPECT_FALSE(full.read(kNoUpstream));
    EXPECT_TRUE(full.read(kOne));
    EXPECT_TRUE(full.read(kOne));
    EXPECT_FALSE(full.read(kTwo)) << "one at a time";
    EXPECT_TRUE(full.read(kOne));
}

TEST(ReadBuffer, LetsNobodyFollowBeforeThePoolIsWithinItsLimit) {
    FullPool full;
    ASSERT_TRUE(full.read(kOne));
    full.buffer.finished(kOne);
    EXPECT_FALSE(full.read(kTwo));
    EXPECT_FALSE(full.read(kOne)) << "its next bundle has no right of its own";
    full.chain.clear();
    EXPECT_TRUE(full.read(kTwo));
}

TEST(ReadBuffer, DoesNotShareWhatLiesBeyondTheLimit) {
    FullPool full;
    ASSERT_FALSE(full.buffer.space(kSlab, kOne).empty());
    full.buffer.commit(10);
    full.chain.push_back(full.buffer.slab());
    EXPECT_TRUE(full.buffer.space(1, kTwo).empty());
    EXPECT_TRUE(full.buffer.space(1).empty());
    EXPECT_EQ(full.buffer.space(1, kOne).size(), kSlab - 10);
    full.buffer.finished(kOne);
    EXPECT_TRUE(full.buffer.space(1).empty());
}

TEST(ReadBuffer, IsNotFinishedByAnotherSession) {
    FullPool full;
    ASSERT_TRUE(full.read(kOne));
    full.buffer.finished(kTwo);
    full.buffer.finished(kNoUpstream);
    EXPECT_TRUE(full.read(kOne));
}

}  // namespace
}  // namespace farlink::read_buffer_test
