// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/entry_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

namespace farlink::storage::entry_table_test {
namespace {

using enum EntryState;

TEST(EntryTable, RecognisesAStaleHandle) {
    EntryTable entries;
    const EntryIndex first = entries.allocate();
    entries[first].transition(EntryState::kWriting);
    entries[first].arrival = 77;
    const std::uint64_t handle = entries.handle_of(first);
    EXPECT_NE(handle, 0U);
    EXPECT_EQ(entries.find(handle), first);
    entries.release(first);
    EXPECT_FALSE(entries.find(handle).has_value());
    EXPECT_EQ(entries.allocate(), first);
    entries[first].transition(EntryState::kWriting);
    entries[first].arrival = 78;
    EXPECT_FALSE(entries.find(handle).has_value());
    EXPECT_FALSE(entries.find(0xffff'ffff'ffffULL).has_value());
}

/// Takes a fresh entry through states, each of which must be allowed.
Entry entry_in(std::span<const EntryState> path) {
    Entry entry;
    for (const EntryState state : path) entry.transition(state);
    return entry;
}

TEST(EntryState, FollowsTheLifeOfABundle) {
    const std::vector<std::vector<EntryState>> lives{
        {kWriting, kFree},                                    // the write failed
        {kWriting, kWaiting, kReading, kReleased, kFree},     // sent
        {kWriting, kWaiting, kReading, kReleased, kWaiting},  // came back unsent
        {kWriting, kWaiting, kReading, kReleased, kInCustody, kWaiting},
        {kWriting, kWaiting, kReading, kReleased, kInCustody, kFree},
        {kWriting, kWaiting, kReleased, kWaiting},  // the copy of a bundle that ingress has lent
        {kWriting, kWaiting, kReading, kExceedsContacts, kWaiting},
        {kWriting, kWaiting, kReading, kQuarantined, kFree},
        {kWriting, kWaiting, kExpiring, kFree},  // deleted with a report
        {kWriting, kWaiting, kCritical, kFree},
        {kWriting, kWaiting, kCritical, kWaiting},
        {kWriting, kWaiting, kCritical, kQuarantined},
        {kQuarantined, kFree},  // unreadable at the start
        {kWriting, kGathered, kFree},
        {kWriting, kGathered, kExpiring, kFree},
        {kWriting, kGathered, kQuarantined, kFree},
    };
    for (const auto &life : lives) EXPECT_EQ(entry_in(life).state(), life.back());
}

TEST(EntryState, NeverSkipsAStep) {
    constexpr std::array kAll{kFree,     kWriting,     kWaiting,         kReading,
                              kReleased, kInCustody,   kExceedsContacts, kCritical,
                              kExpiring, kQuarantined, kGathered};
    static_assert(kAll.size() == kEntryStateCount);
    for (const EntryState state : kAll) {
        EXPECT_FALSE(may_follow(state, state));
        EXPECT_EQ(may_follow(state, kFree), state != kFree) << "any entry may be released";
        EXPECT_EQ(may_follow(state, kWriting), state == kFree) << "only a fresh entry is written";
        EXPECT_FALSE(may_follow(kExpiring, state) && state != kFree) << "a deletion is final";
        EXPECT_FALSE(may_follow(kQuarantined, state) && state != kFree);
    }
    EXPECT_FALSE(may_follow(kWriting, kReading)) << "what is not flushed is not read";
    EXPECT_FALSE(may_follow(kWaiting, kInCustody)) << "only a bundle that was sent awaits a signal";
    EXPECT_FALSE(may_follow(kInCustody, kReleased));
}

TEST(EntryStateDeathTest, AnotherTransitionEndsTheProcess) {
    EXPECT_DEATH(entry_in(std::array{kWriting, kReleased}), "");
}

}  // namespace
}  // namespace farlink::storage::entry_table_test
