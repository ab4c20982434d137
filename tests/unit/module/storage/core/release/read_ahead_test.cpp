// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/read_ahead.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::read_ahead_test {
namespace {

constexpr std::uint64_t kLimit = 1'000'000;
constexpr TimePoint kStart = TimePoint{} + seconds(100);

TEST(ReadAhead, FollowsTheRateOfTheLink) {
    ReadAhead ahead;
    EXPECT_EQ(ahead.bytes(kLimit, kStart), 0U);
    ahead.handle_done(1000, kStart);
    EXPECT_EQ(ahead.bytes(kLimit, kStart), 4000U);
    ahead.handle_done(2000, kStart + milliseconds(9));
    EXPECT_EQ(ahead.bytes(kLimit, kStart + milliseconds(9)), 12'000U);
    // A new period begins with what the last one has shown.
    ahead.handle_done(1, kStart + milliseconds(11));
    EXPECT_EQ(ahead.bytes(kLimit, kStart + milliseconds(11)), 12'000U);
    ahead.handle_done(kLimit, kStart + milliseconds(12));
    EXPECT_EQ(ahead.bytes(kLimit, kStart + milliseconds(12)), kLimit);
}

TEST(ReadAhead, ALinkThatRestsHasNone) {
    ReadAhead ahead;
    ahead.handle_done(1000, kStart);
    EXPECT_EQ(ahead.bytes(kLimit, kStart + milliseconds(30)), 0U);
    ahead.handle_done(10, kStart + milliseconds(30));
    EXPECT_EQ(ahead.bytes(kLimit, kStart + milliseconds(30)), 40U);
}

}  // namespace
}  // namespace farlink::storage::read_ahead_test
