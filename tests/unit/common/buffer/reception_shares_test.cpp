// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/reception_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace farlink::reception_shares_test {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kLimit = 64 * kMiB;
constexpr LinkId kLink{1};
constexpr LinkId kOtherLink{2};

class ReceptionSharesTest : public testing::Test {
protected:
    using Hold = ReceptionShares::Hold;

    Hold &session(std::string peer, bool known = false, LinkId link = kLink) {
        const std::size_t place = holds.size();
        holds.push_back(std::make_unique<Hold>(shares, link, std::move(peer), known,
                                               [this, place] { asked.push_back(place); }));
        return *holds.back();
    }

    ReceptionShares shares{kLimit};
    std::vector<std::unique_ptr<Hold>> holds;
    std::vector<std::size_t> asked;
    TimePoint now{seconds(100)};
};

TEST_F(ReceptionSharesTest, OneStrangerGetsAQuarterAndFinishesOneBundleBeyondIt) {
    Hold &one = session("10.0.0.1");
    Hold &two = session("10.0.0.1");
    Hold &third = session("10.0.0.1");
    EXPECT_TRUE(one.admitted(now));
    one.update(8 * kMiB, now);
    two.update(8 * kMiB, now);
    EXPECT_TRUE(one.admitted(now));
    EXPECT_FALSE(two.admitted(now)) << "the other one goes first";
    EXPECT_TRUE(third.admitted(now)) << "it has begun nothing";
    third.update(kMiB, now);
    EXPECT_FALSE(third.admitted(now));
    one.update(12 * kMiB, now);
    EXPECT_TRUE(one.admitted(now));
    one.update(0, now);
    EXPECT_TRUE(two.admitted(now));
    EXPECT_TRUE(third.admitted(now));
}

TEST_F(ReceptionSharesTest, AllStrangersTogetherLeaveHalfToNeighbours) {
    for (int peer = 0; peer < 20; ++peer) {
        Hold &hold =
            session("10.0.0." + std::to_string(peer), false, peer % 2 == 0 ? kLink : kOtherLink);
        if (hold.admitted(now)) hold.update(4 * kMiB, now);
    }
    EXPECT_FALSE(session("10.1.1.1").admitted(now));
    Hold &neighbour = session("10.2.2.2", true);
    EXPECT_TRUE(neighbour.admitted(now));
    neighbour.update(16 * kMiB, now);
    EXPECT_TRUE(neighbour.admitted(now));
}

TEST_F(ReceptionSharesTest, StrangersOfOneLinkLeaveSomethingToThoseOfAnother) {
    for (int peer = 0; peer < 20; ++peer) {
        Hold &hold = session("10.0.0." + std::to_string(peer));
        if (hold.admitted(now)) hold.update(4 * kMiB, now);
    }
    EXPECT_FALSE(session("10.1.1.1").admitted(now));
    EXPECT_TRUE(session("10.1.1.2", false, kOtherLink).admitted(now));
}

TEST_F(ReceptionSharesTest, ANeighbourLeavesTheOthersTheirPart) {
    Hold &greedy = session("10.0.0.1", true);
    Hold &other = session("10.0.0.2", true);
    Hold &more = session("10.0.0.1", true);
    greedy.update(16 * kMiB, now);
    EXPECT_TRUE(greedy.admitted(now)) << "it completes its bundle";
    EXPECT_TRUE(more.admitted(now)) << "it has begun nothing";
    more.update(kMiB, now);
    EXPECT_FALSE(more.admitted(now));
    greedy.update(24 * kMiB, now);
    EXPECT_FALSE(session("10.0.0.1", true).admitted(now)) << "half more than the share is held";
    EXPECT_TRUE(other.admitted(now));
}

TEST_F(ReceptionSharesTest, WhoProvesHimselfIsAStrangerNoMore) {
    Hold &hold = session("10.0.0.1");
    hold.update(8 * kMiB, now);
    hold.make_known();
    EXPECT_EQ(hold.bytes(), 8 * kMiB);
    for (int peer = 0; peer < 20; ++peer) {
        Hold &stranger = session("10.1.0." + std::to_string(peer));
        if (stranger.admitted(now)) stranger.update(8 * kMiB, now);
    }
    EXPECT_TRUE(hold.admitted(now));
    hold.update(0, now);
}

TEST_F(ReceptionSharesTest, TheLargestSlowBundleOfAStrangerGoes) {
    Hold &small = session("10.0.0.1");
    Hold &large = session("10.0.0.2");
    Hold &fast = session("10.0.0.3");
    Hold &known = session("10.0.0.4", true);
    Hold &asking = session("10.0.0.5");
    small.update(1 * kMiB, now);
    large.update(4 * kMiB, now);
    fast.update(5 * kMiB, now);
    known.update(6 * kMiB, now);
    shares.handle_shortage(asking, now);
    EXPECT_TRUE(asked.empty()) << "nobody has had time to be slow";

    now += seconds(2);
    fast.update(9 * kMiB, now);
    shares.handle_shortage(asking, now);
    EXPECT_EQ(asked, std::vector<std::size_t>{1});
    shares.handle_shortage(asking, now);
    EXPECT_EQ(asked.size(), 1U) << "not at once";
    now += seconds(1);
    fast.update(12 * kMiB, now);
    shares.handle_shortage(asking, now);
    EXPECT_EQ(asked, (std::vector<std::size_t>{1, 0}));
    now += milliseconds(100);
    shares.handle_shortage(asking, now);
    EXPECT_EQ(asked.size(), 2U) << "the fast one stays, and so does the neighbour";
}

/// Ten addresses send almost a quarter each, then an octet now and then; whoever is ended comes
/// back at once.
class ReturningStrangers : public ReceptionSharesTest {
protected:
    static constexpr std::uint64_t kBurst = kLimit / 4 - kMiB;
    struct Stranger {
        std::string address;
        std::size_t place = 0;
        std::uint64_t bytes = 0;
    };

    ReturningStrangers() {
        for (int number = 0; number < 10; ++number) {
            strangers.push_back({"10.0.0." + std::to_string(number), holds.size()});
            (void)session(strangers.back().address);
        }
    }
    void pass(Duration time) {
        for (const TimePoint end = now + time; now < end; now += milliseconds(50))
            for (Stranger &one : strangers) send(one);
    }
    void send(Stranger &one) {
        if (std::ranges::find(asked, one.place) != asked.end()) {
            holds[one.place].reset();
            one = {one.address, holds.size()};
            (void)session(one.address);
        }
        Hold &hold = *holds[one.place];
        if (!hold.admitted(now)) {
            hold.excuse(now);
            hold.ask_for_memory(now);
            return;
        }
        one.bytes += one.bytes < kBurst ? kMiB : 1;
        hold.update(one.bytes, now);
    }
    [[nodiscard]] bool admits_newcomer(LinkId link) {
        Hold newcomer(shares, link, "10.1.1.1", false, [] {});
        newcomer.update(kMiB, now);
        return newcomer.admitted(now);
    }

    std::vector<Stranger> strangers;
};

TEST_F(ReturningStrangers, DoNotBlockNewcomersOfAnotherLink) {
    for (int second = 0; second < 60; ++second) {
        pass(seconds(1));
        EXPECT_TRUE(admits_newcomer(kOtherLink)) << second;
    }
}

// It may have the address of one of them.
TEST_F(ReturningStrangers, DoNotBlockANewcomerWithSmallBundles) {
    for (int second = 0; second < 60; ++second) {
        pass(seconds(1));
        EXPECT_TRUE(session("10.1.1.1").admitted(now)) << second;
        EXPECT_TRUE(session("10.0.0.0").admitted(now)) << second;
    }
}

TEST_F(ReceptionSharesTest, ManySmallBeginningsDoNotUseUpTheMemory) {
    int begun = 0;
    for (; begun < 1000; ++begun) {
        Hold &hold = session("10.0.0." + std::to_string(begun % 20));
        if (!hold.admitted(now)) break;
        hold.update(kMiB / 4, now);
        if (hold.admitted(now)) hold.update(kMiB / 2, now);
    }
    EXPECT_EQ(begun, 80) << "five eighths";
    EXPECT_TRUE(session("10.1.1.1", false, kOtherLink).admitted(now));
    EXPECT_TRUE(session("10.2.2.2", true).admitted(now));
}

TEST_F(ReturningStrangers, LeaveHalfToNewcomersOnceAllHaveGivenUp) {
    pass(seconds(2));
    EXPECT_FALSE(admits_newcomer(kLink));
    pass(seconds(38));
    for (int second = 40; second < 60; ++second) {
        pass(seconds(1));
        EXPECT_TRUE(admits_newcomer(kLink)) << second;
    }
}

TEST_F(ReceptionSharesTest, WhoIsConfinedContinuesWhileThereIsMemoryAndForAMinute) {
    Hold &slow = session("10.0.0.1");
    slow.update(8 * kMiB, now);
    now += seconds(2);
    shares.handle_shortage(session("10.0.0.2"), now);
    EXPECT_EQ(asked.size(), 1U);
    holds[0].reset();
    Hold &again = session("10.0.0.1");
    Hold &other = session("10.0.0.3");
    again.update(kMiB, now);
    EXPECT_TRUE(again.admitted(now));
    other.update(16 * kMiB, now);
    EXPECT_FALSE(again.admitted(now));
    EXPECT_TRUE(session("10.0.0.4").admitted(now));
    EXPECT_TRUE(again.admitted(now + kConfinedFor));
    again.make_known();
    EXPECT_TRUE(again.admitted(now));
}

TEST_F(ReceptionSharesTest, OfManyConfinedAddressesTheOldestIsForgotten) {
    for (std::size_t number = 0; number <= ReceptionShares::kMostConfined; ++number) {
        Hold &slow = session("10.0." + std::to_string(number));
        slow.update(kMiB, now);
        now += seconds(2);
        shares.handle_shortage(session("10.9.9.9"), now);
        holds.clear();
        now -= milliseconds(1950);
    }
    EXPECT_EQ(asked.size(), ReceptionShares::kMostConfined + 1);
    session("10.1.1.1").update(16 * kMiB, now);
    Hold &forgotten = session("10.0.0");
    forgotten.update(kMiB, now);
    EXPECT_TRUE(forgotten.admitted(now));
    Hold &confined = session("10.0.1024");
    confined.update(kMiB, now);
    EXPECT_FALSE(confined.admitted(now));
}

/// On average since its beginning it would be fast for a minute.
TEST_F(ReceptionSharesTest, WhoIsSilentAfterABurstIsSlow) {
    Hold &burst = session("10.0.0.1");
    Hold &asking = session("10.0.0.2");
    burst.update(64, now);
    now += milliseconds(500);
    burst.update(15 * kMiB, now);
    now += milliseconds(1500);
    shares.handle_shortage(asking, now);
    EXPECT_TRUE(asked.empty());
    now += milliseconds(500);
    shares.handle_shortage(asking, now);
    EXPECT_EQ(asked.size(), 1U);
}

TEST_F(ReceptionSharesTest, WhoIsNotReadIsNotSlow) {
    Hold &paused = session("10.0.0.1");
    Hold &asking = session("10.0.0.2");
    paused.update(4 * kMiB, now);
    paused.set_excused(true, now);
    now += seconds(10);
    shares.handle_shortage(asking, now);
    EXPECT_TRUE(asked.empty());
    paused.set_excused(false, now);
    now += milliseconds(500);
    shares.handle_shortage(asking, now);
    EXPECT_TRUE(asked.empty());
    now += seconds(1);
    shares.handle_shortage(asking, now);
    EXPECT_EQ(asked.size(), 1U);
}

/// Blocks of 1 MiB, or one large block, all of them as slow or as fast as the test says.
struct CountedBlocks final : BlockKeeper {
    [[nodiscard]] std::uint64_t slow_block(TimePoint, const Slowness &slowness) override {
        const bool any = slowness.silence == Duration::zero();
        return (slow || any) && blocks > 0 ? block_bytes : 0;
    }
    void give_up_slow_block(TimePoint, const Slowness &) override { change(-1); }
    void give_back(std::uint64_t bytes, TimePoint) override {
        for (std::uint64_t gone = 0; gone < bytes && blocks > 1; gone += block_bytes) change(-1);
    }
    bool leave_slab() override { return std::exchange(in_slab, false); }
    void change(int more) {
        blocks += more;
        hold->update(static_cast<std::uint64_t>(blocks) * block_bytes);
    }
    std::optional<ReceptionShares::Hold> hold;
    std::uint64_t block_bytes = kMiB;
    int blocks = 0;
    bool slow = false;
    bool in_slab = false;
};

TEST_F(ReceptionSharesTest, BlocksBeyondAShareGoWhenSomebodyHasNoMemory) {
    CountedBlocks kept;
    kept.hold.emplace(shares, kLink, "10.0.0.1", false, kept);
    kept.change(40);
    Hold &asking = session("10.0.0.2");
    shares.handle_shortage(asking, now);
    EXPECT_EQ(kept.blocks, 14) << "a quarter, and room for a while";
    shares.handle_shortage(asking, now);
    EXPECT_EQ(kept.blocks, 14) << "its share is its own";
    kept.slow = true;
    now += milliseconds(50);
    shares.handle_shortage(asking, now);
    EXPECT_EQ(kept.blocks, 13) << "unless it is slow";
    EXPECT_EQ(shares.given_up(), 2U);
}

TEST_F(ReceptionSharesTest, TheNextKeeperGivesBackWhereTheFirstHasOnlyOneBlock) {
    CountedBlocks single;
    single.hold.emplace(shares, kLink, "10.0.0.1", false, single);
    single.blocks = 1;
    single.hold->update(40 * kMiB);
    CountedBlocks many;
    many.hold.emplace(shares, kLink, "10.0.0.3", false, many);
    many.change(20);
    Hold &asking = session("10.0.0.2");
    shares.handle_shortage(asking, now);
    EXPECT_LT(many.blocks, 20);
    EXPECT_EQ(single.blocks, 1);
    EXPECT_EQ(shares.given_up(), 1U);
}

TEST_F(ReceptionSharesTest, StrangersLeaveTheirSlabsBeforeSomethingIsDropped) {
    CountedBlocks stranger;
    stranger.hold.emplace(shares, kLink, "10.0.0.1", false, stranger);
    CountedBlocks neighbour;
    neighbour.hold.emplace(shares, kLink, "10.0.0.3", true, neighbour);
    for (CountedBlocks *const kept : {&stranger, &neighbour}) {
        kept->change(2);
        kept->slow = kept->in_slab = true;
    }
    Hold &asking = session("10.0.0.2");
    shares.handle_shortage(asking, now);
    EXPECT_FALSE(stranger.in_slab);
    EXPECT_TRUE(neighbour.in_slab);
    EXPECT_EQ(stranger.blocks, 2);
    now += milliseconds(50);
    shares.handle_shortage(asking, now);
    EXPECT_EQ(stranger.blocks, 1) << "nothing else is left";
}

TEST_F(ReceptionSharesTest, WhoHasUsedUpHisShareTakesNothingBack) {
    CountedBlocks kept;
    kept.hold.emplace(shares, kLink, "10.0.0.1", false, kept);
    kept.change(40);
    Hold &asking = session("10.0.0.2");
    asking.update(16 * kMiB, now);
    shares.handle_shortage(asking, now);
    EXPECT_EQ(kept.blocks, 40);
}

/// Strangers with one large block each.
struct LargeBlocksOfStrangers : ReceptionSharesTest {
    CountedBlocks &add(const std::string &address, std::uint64_t bytes) {
        CountedBlocks &kept = keepers.emplace_back();
        kept.hold.emplace(shares, kLink, address, false, kept);
        kept.block_bytes = bytes;
        kept.change(1);
        return kept;
    }
    std::deque<CountedBlocks> keepers;
};

TEST_F(LargeBlocksOfStrangers, ANeighbourTakesThemAtOnceTheLargestFirst) {
    const CountedBlocks &small = add("10.0.0.1", 10 * kMiB);
    const CountedBlocks &large = add("10.0.0.2", 14 * kMiB);
    Hold &neighbour = session("10.2.2.2", true);
    EXPECT_TRUE(shares.handle_shortage(neighbour, now));
    EXPECT_EQ(large.blocks, 0);
    EXPECT_EQ(small.blocks, 1);
    EXPECT_TRUE(shares.handle_shortage(neighbour, now)) << "its share is its own";
    EXPECT_EQ(small.blocks, 0);
    EXPECT_FALSE(shares.handle_shortage(neighbour, now));
}

TEST_F(LargeBlocksOfStrangers, ANeighbourTakesTheSlowOneFirst) {
    CountedBlocks &small = add("10.0.0.1", 10 * kMiB);
    const CountedBlocks &large = add("10.0.0.2", 14 * kMiB);
    small.slow = true;
    EXPECT_TRUE(shares.handle_shortage(session("10.2.2.2", true), now));
    EXPECT_EQ(small.blocks, 0);
    EXPECT_EQ(large.blocks, 1);
}

TEST_F(LargeBlocksOfStrangers, WhatStandsStillGoesForANeighbourBeforeBlocksThatArrive) {
    CountedBlocks &stopped = add("10.0.0.1", 30 * kMiB);
    CountedBlocks &active = add("10.0.0.2", kMiB);
    active.change(5);
    stopped.slow = true;
    EXPECT_TRUE(shares.handle_shortage(session("10.2.2.2", true), now));
    EXPECT_EQ(stopped.blocks, 0);
    EXPECT_EQ(active.blocks, 6) << "although the one block is the last of its peer";
}

TEST_F(LargeBlocksOfStrangers, ANeighbourBeyondItsShareLeavesStrangersTheirs) {
    const CountedBlocks &one = add("10.0.0.1", 15 * kMiB);
    const CountedBlocks &two = add("10.0.0.2", 15 * kMiB);
    Hold &neighbour = session("10.2.2.2", true);
    neighbour.update(33 * kMiB, now);
    EXPECT_FALSE(shares.handle_shortage(neighbour, now));
    const CountedBlocks &third = add("10.0.0.3", 5 * kMiB);
    EXPECT_TRUE(shares.handle_shortage(neighbour, now)) << "together they have more than half";
    EXPECT_EQ(one.blocks + two.blocks, 1);
    EXPECT_EQ(third.blocks, 1);
}

/// An octet now and then is no progress.
TEST_F(LargeBlocksOfStrangers, WhatTricklesGivesWayToANewcomerAndSoDoesItsNextBlock) {
    CountedBlocks &stopped = add("10.0.0.1", 15 * kMiB);
    Hold &newcomer = session("10.1.1.1");
    EXPECT_FALSE(shares.handle_shortage(newcomer, now));
    while (stopped.blocks > 0 && now < TimePoint{seconds(110)}) {
        now += milliseconds(100);
        stopped.hold->update(stopped.hold->bytes() + 1);
        shares.handle_shortage(newcomer, now);
    }
    EXPECT_LE(now, TimePoint{milliseconds(100'700)});
    stopped.change(1);
    EXPECT_TRUE(shares.handle_shortage(newcomer, now)) << "it has lost its patience";
    EXPECT_EQ(stopped.blocks, 0);
    stopped.change(1);
    now += kConfinedFor;
    EXPECT_FALSE(shares.handle_shortage(newcomer, now)) << "for a minute";
}

TEST_F(LargeBlocksOfStrangers, WhoWasSlowTakesNothingThatArrives) {
    CountedBlocks &slow = add("10.0.0.1", 15 * kMiB);
    slow.slow = true;
    EXPECT_TRUE(shares.handle_shortage(session("10.1.1.1"), now));
    CountedBlocks &others = add("10.0.0.2", 15 * kMiB);
    for (int turn = 0; turn < 20; ++turn) {
        now += milliseconds(100);
        EXPECT_FALSE(shares.handle_shortage(*slow.hold, now));
    }
    EXPECT_EQ(others.blocks, 1);
    others.slow = true;
    EXPECT_TRUE(shares.handle_shortage(session("10.1.1.1"), now)) << "its searches do not count";
}

TEST_F(LargeBlocksOfStrangers, WhatArrivesStays) {
    CountedBlocks &active = add("10.0.0.1", 15 * kMiB);
    Hold &newcomer = session("10.1.1.1");
    for (int turn = 0; turn < 40; ++turn) {
        now += milliseconds(100);
        active.hold->update(active.hold->bytes() + 100'000);
        EXPECT_FALSE(shares.handle_shortage(newcomer, now));
    }
}

TEST_F(ReceptionSharesTest, ANeighboursBlocksBeyondItsShareGoToo) {
    CountedBlocks kept;
    kept.hold.emplace(shares, kLink, "10.0.0.1", true, kept);
    kept.change(50);
    shares.handle_shortage(session("10.0.0.2"), now);
    EXPECT_LE(kept.blocks, 32);
    EXPECT_GE(kept.blocks, 28);
}

}  // namespace
}  // namespace farlink::reception_shares_test
