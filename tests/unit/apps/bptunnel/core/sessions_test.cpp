// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/core/sessions.hpp"

#include <gtest/gtest.h>

namespace farlink::bptunnel::sessions_test {
namespace {

bool is_taken(const Verdict &verdict) {
    return !verdict.repeat && !verdict.stale && !verdict.for_earlier;
}

TEST(SeenNumbers, CountsEachNumberOnce) {
    SeenNumbers seen;
    for (const std::uint64_t number : {0U, 2U, 1U, 100U, 99U}) {
        EXPECT_TRUE(seen.add(number));
        EXPECT_FALSE(seen.add(number));
    }
    EXPECT_TRUE(seen.add(98));
}

TEST(SeenNumbers, TakesWhatIsFarBehindAsSeen) {
    SeenNumbers seen;
    EXPECT_TRUE(seen.add(SeenNumbers::kMost));
    EXPECT_FALSE(seen.add(0));
    EXPECT_TRUE(seen.add(1));
    EXPECT_TRUE(seen.add(10 * SeenNumbers::kMost));
    EXPECT_TRUE(seen.add(10 * SeenNumbers::kMost - 1));
    EXPECT_FALSE(seen.add(~std::uint64_t{0}));
}

TEST(Sessions, NumbersAscendInASession) {
    Sessions here(10);
    EXPECT_EQ(here.next_head(Kind::kHello).number, 0U);
    EXPECT_EQ(here.next_head(Kind::kStreams).number, 0U);
    EXPECT_EQ(here.next_head(Kind::kStreams).number, 1U);
    EXPECT_EQ(here.next_head(Kind::kStreams).to, 0U);
}

TEST(Sessions, RepeatsAreFound) {
    Sessions here(10);
    Sessions there(20);
    const Head first = there.next_head(Kind::kStreams);
    const Head second = there.next_head(Kind::kStreams);
    EXPECT_TRUE(is_taken(here.judge(second)));
    EXPECT_TRUE(is_taken(here.judge(first)));
    EXPECT_TRUE(here.judge(first).repeat);
    EXPECT_EQ(here.next_head(Kind::kStreams).to, 20U);
}

TEST(Sessions, ARestartOfThePeerIsFound) {
    Sessions here(10);
    Sessions before(20);
    EXPECT_FALSE(here.judge(before.next_head(Kind::kStreams)).peer_changed);
    Sessions after(21);
    const Verdict verdict = here.judge(after.next_head(Kind::kStreams));
    EXPECT_TRUE(verdict.peer_changed);
    EXPECT_TRUE(is_taken(verdict));
    EXPECT_TRUE(here.judge(before.next_head(Kind::kStreams)).stale);
}

TEST(Sessions, WhatIsForAnEarlierRunIsNotTaken) {
    Sessions there(20);
    const Sessions before(10);
    ASSERT_FALSE(there.judge({Kind::kHello, before.own(), 0, 0}).stale);
    Sessions after(11);
    const Verdict verdict = after.judge(there.next_head(Kind::kStreams));
    EXPECT_TRUE(verdict.for_earlier);
    EXPECT_FALSE(verdict.renewed);
}

TEST(Sessions, AClockThatWasSetBackIsOvercome) {
    Sessions there(20);
    Sessions before(1000);
    ASSERT_FALSE(there.judge(before.next_head(Kind::kStreams)).stale);
    Sessions after(500);
    EXPECT_TRUE(there.judge(after.next_head(Kind::kHello)).stale);
    const Verdict verdict = after.judge(there.next_head(Kind::kHello));
    EXPECT_TRUE(verdict.renewed);
    EXPECT_EQ(after.own(), 1001U);
    EXPECT_TRUE(there.judge(after.next_head(Kind::kStreams)).peer_changed);
}

TEST(Sessions, SessionsThatCannotBeAreRefused) {
    Sessions here(10);
    EXPECT_TRUE(here.judge({Kind::kStreams, 0, 0, 0}).stale);
    const Verdict verdict = here.judge({Kind::kStreams, 5, ~std::uint64_t{0}, 0});
    EXPECT_TRUE(verdict.for_earlier);
    EXPECT_FALSE(verdict.renewed);
    EXPECT_EQ(here.own(), 10U);
}

}  // namespace
}  // namespace farlink::bptunnel::sessions_test
