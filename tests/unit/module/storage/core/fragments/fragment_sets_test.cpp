// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/fragment_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

namespace farlink::storage::fragment_sets_test {
namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;  ///< [from, to)

class FragmentSetsTest : public testing::Test {
protected:
    static constexpr std::uint64_t kSource = 5;

    /// Octets [from, to) of a data unit with `total`; its entry is `entry`.
    SetIndex add(std::uint64_t from, std::uint64_t to, EntryIndex entry, std::uint64_t key = 1,
                 std::uint64_t total = 100) {
        FragmentLabel label;
        label.extent = {from, to - from};
        label.total_adu_length = total;
        label.set = {0, key};
        label.source = kSource;
        return sets.add(label, entry);
    }
    SetIndex add_flushed(std::uint64_t from, std::uint64_t to, EntryIndex entry) {
        const SetIndex set = add(from, to, entry);
        sets.set_flushed(set, entry);
        return set;
    }
    [[nodiscard]] std::vector<Range> gaps(SetIndex set, std::size_t most = 100) const {
        std::vector<Range> ranges;
        for (const bp::FragmentExtent &gap : sets[set].gaps(most))
            ranges.emplace_back(gap.offset, gap.offset + gap.length);
        return ranges;
    }

    FragmentSets sets;
};

TEST_F(FragmentSetsTest, GapsAreWhatNoPieceHas) {
    const SetIndex set = add(20, 40, 1);
    EXPECT_EQ(gaps(set), (std::vector<Range>{{0, 20}, {40, 100}}));
    add(60, 80, 2);
    add(30, 50, 3);
    EXPECT_EQ(gaps(set), (std::vector<Range>{{0, 20}, {50, 60}, {80, 100}}));
    EXPECT_EQ(gaps(set, 2), (std::vector<Range>{{0, 20}, {50, 60}}));
    add(0, 100, 4);
    EXPECT_TRUE(gaps(set).empty());
    EXPECT_EQ(sets[set].pieces.bytes(), 160U);
}

TEST_F(FragmentSetsTest, ASetIsCompleteOnceAllOctetsAreFlushed) {
    const SetIndex set = add_flushed(50, 100, 1);
    add(0, 50, 2);
    EXPECT_TRUE(gaps(set).empty());
    EXPECT_FALSE(sets[set].complete()) << "a piece is being written";
    sets.set_flushed(set, 2);
    EXPECT_TRUE(sets[set].complete());
}

TEST_F(FragmentSetsTest, OverlappingPiecesDoNotHideAGap) {
    const SetIndex set = add_flushed(0, 60, 1);
    add_flushed(10, 70, 2);
    EXPECT_GT(sets[set].pieces.flushed_bytes(), 100U);
    EXPECT_FALSE(sets[set].complete());
    add_flushed(65, 100, 3);
    EXPECT_TRUE(sets[set].complete());
}

TEST_F(FragmentSetsTest, OverlappingNamesThePiecesInCommon) {
    const SetIndex set = add(0, 20, 1);
    add(20, 40, 2);
    add(60, 80, 3);
    const auto entries = [&](std::uint64_t from, std::uint64_t to) {
        std::vector<EntryIndex> found;
        for (const FragmentPiece &piece : sets.overlapping(set, {from, to - from}))
            found.push_back(piece.entry);
        return found;
    };
    EXPECT_EQ(entries(19, 21), (std::vector<EntryIndex>{1, 2}));
    EXPECT_EQ(entries(0, 100), (std::vector<EntryIndex>{1, 2, 3}));
    EXPECT_TRUE(entries(40, 60).empty());
    EXPECT_TRUE(entries(80, 100).empty());
}

TEST_F(FragmentSetsTest, ASetEndsWithItsLastPieceAndItsPlaceIsUsedAgain) {
    const SetIndex set = add(0, 20, 1);
    add(20, 40, 2);
    sets.remove(set, 1);
    EXPECT_EQ(sets.find({0, 1}), set);
    sets.remove(set, 2);
    EXPECT_EQ(sets.find({0, 1}), kNoSet);
    EXPECT_EQ(sets.size(), 0U);
    EXPECT_EQ(sets.places(), 1U);
    EXPECT_EQ(add(0, 20, 3, 2), set);
    EXPECT_EQ(sets[set].pieces.size(), 1U);
    EXPECT_EQ(sets[set].pieces.flushed_bytes(), 0U);
}

TEST_F(FragmentSetsTest, TheUsageOfASourceIsThatOfItsIncompleteSets) {
    const SetIndex set = add_flushed(0, 100, 1);
    add(0, 30, 2, 2);
    EXPECT_EQ(sets.usage_of(kSource).sets, 2U);
    EXPECT_EQ(sets.usage_of(kSource).fragments, 2U);
    EXPECT_EQ(sets.usage_of(kSource).bytes, 130U);
    sets.set_whole(set, 9);
    EXPECT_EQ(sets.of_whole(9), set);
    EXPECT_EQ(sets.incomplete(), 1U);
    EXPECT_EQ(sets.usage_of(kSource).sets, 1U);
    EXPECT_EQ(sets.usage_of(kSource).bytes, 30U);
    sets.set_whole(set, kNoEntry);
    EXPECT_EQ(sets.usage_of(kSource).sets, 2U);
    EXPECT_EQ(sets.usage_of(kSource).bytes, 130U);
    sets.set_whole(set, 9);
    EXPECT_EQ(sets.remove_all(set).size(), 1U);
    sets.remove(sets.find({0, 2}), 2);
    EXPECT_EQ(sets.usage_of(kSource).sets, 0U);
    EXPECT_EQ(sets.usage_of(kSource).fragments, 0U);
    EXPECT_EQ(sets.usage_of(kSource).bytes, 0U);
    EXPECT_EQ(sets.usage_of(kSource + 1).sets, 0U);
}

// The model is an octet map.
TEST_F(FragmentSetsTest, AgreesWithAMapOfOctets) {
    constexpr std::size_t kTotal = 100;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<bool> here(kTotal);
        SetIndex set = kNoSet;
        for (EntryIndex entry = 0; entry < 20; ++entry) {
            const std::uint64_t from = random() % kTotal;
            const std::uint64_t to = from + 1 + random() % (kTotal - from);
            set = add(from, to, entry, 100 + seed);
            sets.set_flushed(set, entry);
            std::fill(here.begin() + static_cast<std::ptrdiff_t>(from),
                      here.begin() + static_cast<std::ptrdiff_t>(to), true);
            std::vector<bool> missing(kTotal);
            for (const auto &[begin, end] : gaps(set))
                std::fill(missing.begin() + static_cast<std::ptrdiff_t>(begin),
                          missing.begin() + static_cast<std::ptrdiff_t>(end), true);
            for (std::size_t at = 0; at < kTotal; ++at) EXPECT_NE(missing[at], here[at]) << seed;
            EXPECT_EQ(sets[set].complete(), std::ranges::count(here, false) == 0) << seed;
        }
        (void)sets.remove_all(set);
    }
}

}  // namespace
}  // namespace farlink::storage::fragment_sets_test
