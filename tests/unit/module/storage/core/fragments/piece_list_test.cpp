// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/fragments/piece_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/random.hpp"

namespace farlink::storage::piece_list_test {
namespace {

std::vector<EntryIndex> entries_of(const PieceList &list) {
    std::vector<EntryIndex> entries;
    for (const FragmentPiece &piece : list) entries.push_back(piece.entry);
    return entries;
}

TEST(PieceList, OneAloneTakesNoMemory) {
    PieceList list;
    EXPECT_TRUE(list.empty());
    EXPECT_EQ(list.bytes(), 0U);
    EXPECT_EQ(list.furthest(), 0U);
    list.add({.offset = 10, .end = 30, .entry = 4});
    EXPECT_EQ(list.size(), 1U);
    EXPECT_EQ(list.front().entry, 4U);
    EXPECT_EQ(list.bytes(), 20U);
    EXPECT_EQ(list.flushed_bytes(), 0U);
    EXPECT_EQ(list.furthest(), 30U);
    list.set_flushed(4);
    EXPECT_EQ(list.flushed_bytes(), 20U);
    EXPECT_EQ(list.memory_bytes(), 0U);
    EXPECT_EQ(list.remove(4).offset, 10U);
    EXPECT_TRUE(list.empty());
    EXPECT_EQ(list.flushed_bytes(), 0U);
    list.add({.offset = 5, .end = 6, .entry = 9});
    EXPECT_EQ(entries_of(list), std::vector<EntryIndex>{9});
}

TEST(PieceList, SeveralLieByTheirOffset) {
    PieceList list;
    list.add({.offset = 50, .end = 70, .entry = 1, .flushed = true});
    list.add({.offset = 0, .end = 90, .entry = 2});
    list.add({.offset = 50, .end = 60, .entry = 3});
    EXPECT_EQ(entries_of(list), (std::vector<EntryIndex>{2, 1, 3}));
    EXPECT_EQ(list.bytes(), 120U);
    EXPECT_EQ(list.flushed_bytes(), 20U);
    EXPECT_EQ(list.furthest(), 90U);
    EXPECT_GT(list.memory_bytes(), 0U);
}

TEST(PieceList, FlushedOnesAreRemovedTogether) {
    PieceList one;
    one.add({.offset = 0, .end = 10, .entry = 1});
    EXPECT_TRUE(one.remove_flushed().empty());
    one.set_flushed(1);
    EXPECT_EQ(one.remove_flushed().size(), 1U);
    EXPECT_TRUE(one.empty());
    PieceList list;
    for (EntryIndex entry = 0; entry < 6; ++entry)
        list.add({.offset = entry, .end = entry + 10, .entry = entry, .flushed = entry % 2 == 0});
    EXPECT_EQ(list.remove_flushed().size(), 3U);
    EXPECT_EQ(entries_of(list), (std::vector<EntryIndex>{1, 3, 5}));
    EXPECT_EQ(list.bytes(), 30U);
    EXPECT_EQ(list.flushed_bytes(), 0U);
}

TEST(PieceList, AgreesWithAVectorOverManyChanges) {
    Random random(2);
    PieceList list;
    std::vector<FragmentPiece> model;
    for (EntryIndex entry = 0; entry < 10'000; ++entry) {
        if (model.empty() || random.chance(1, 2)) {
            const std::uint64_t offset = random.below(100);
            model.push_back({offset, offset + 1 + random.below(50), entry});
            list.add(model.back());
        } else {
            const auto at = model.begin() + static_cast<std::ptrdiff_t>(random.below(model.size()));
            if (random.chance(1, 3) && !at->flushed) {
                at->flushed = true;
                list.set_flushed(at->entry);
            } else {
                EXPECT_EQ(list.remove(at->entry).end, at->end);
                model.erase(at);
            }
        }
        std::uint64_t bytes = 0;
        std::uint64_t flushed = 0;
        for (const FragmentPiece &piece : model) {
            bytes += piece.bytes();
            flushed += piece.flushed ? piece.bytes() : 0;
            EXPECT_LE(piece.end, list.furthest());
        }
        ASSERT_EQ(list.size(), model.size());
        ASSERT_EQ(list.bytes(), bytes);
        ASSERT_EQ(list.flushed_bytes(), flushed);
        ASSERT_TRUE(std::ranges::is_sorted(list, {}, &FragmentPiece::offset));
    }
}

}  // namespace
}  // namespace farlink::storage::piece_list_test
