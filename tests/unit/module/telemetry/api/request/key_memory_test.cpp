// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/key_memory.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::telemetry::key_memory_test {
namespace {

using State = KeyMemory::State;

TEST(KeyMemory, AKeyIsOneBundleUntilItIsAccepted) {
    KeyMemory keys({1});
    const auto first = keys.begin("k", "text", 1000);
    EXPECT_EQ(first.state, State::kOpen);
    EXPECT_EQ(first.creation_ms, 1000U);
    EXPECT_GE(first.sequence, std::uint64_t{1} << 47) << "those of others are smaller";
    EXPECT_EQ(keys.begin("k", "text", 2000).state, State::kUnderWay);
    keys.leave_open("k");
    const auto second = keys.begin("k", "text", 3000);
    EXPECT_EQ(second.state, State::kOpen);
    EXPECT_EQ(second.creation_ms, 1000U);
    EXPECT_EQ(second.sequence, first.sequence);
    keys.accept("k");
    EXPECT_EQ(keys.begin("k", "text", 4000).state, State::kAccepted);
    EXPECT_TRUE(keys.begin("k", "other", 4000).other);
    EXPECT_NE(keys.begin("l", "text", 4000).sequence, first.sequence);
}

TEST(KeyMemory, ARefusedKeyMayBeUsedForSomethingElse) {
    KeyMemory keys({1});
    (void)keys.begin("k", "wrong", 1000);
    keys.refuse("k");
    const auto again = keys.begin("k", "right", 2000);
    EXPECT_EQ(again.state, State::kOpen);
    EXPECT_FALSE(again.other);
    EXPECT_EQ(again.creation_ms, 2000U);
}

TEST(KeyMemory, AnotherContentDoesNotDisturbWhatIsUnderWay) {
    KeyMemory keys({1});
    (void)keys.begin("k", "one", 1000);
    keys.leave_open("k");
    EXPECT_TRUE(keys.begin("k", "two", 1000).other);
    EXPECT_EQ(keys.begin("k", "one", 1000).state, State::kOpen) << "it is not under way";
}

TEST(KeyMemory, TheOldestIsForgottenButNotWhatIsUnderWay) {
    KeyMemory keys({1}, 3);
    (void)keys.begin("under way", "", 1);
    for (int number = 0; number < 100; ++number) {
        const std::string key = std::to_string(number);
        (void)keys.begin(key, "", 2);
        keys.accept(key);
    }
    EXPECT_LE(keys.size(), 4U);
    EXPECT_EQ(keys.begin("under way", "", 3).state, State::kUnderWay);
    EXPECT_EQ(keys.begin("99", "", 3).state, State::kAccepted);
    EXPECT_EQ(keys.begin("0", "", 3).state, State::kOpen);
    keys.accept("of nobody");
}

}  // namespace
}  // namespace farlink::telemetry::key_memory_test
