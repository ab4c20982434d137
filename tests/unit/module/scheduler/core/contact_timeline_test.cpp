// SPDX-License-Identifier: Apache-2.0
#include "module/scheduler/core/contact_timeline.hpp"

#include <gtest/gtest.h>

namespace farlink::scheduler::contact_timeline_test {
namespace {

bus::Contact contact(std::uint64_t id, DtnTime start, DtnTime end, std::uint64_t rate) {
    return {id, NodeNumber{1}, NodeNumber{2}, start, end, BitRate{rate}, {}};
}

TEST(ContactTimeline, IsEmptyWithoutContacts) {
    EXPECT_EQ(ContactTimeline().current_or_next(0), nullptr);
    EXPECT_EQ(ContactTimeline({contact(0, 10, 10, 1)}).current_or_next(0), nullptr);
}

TEST(ContactTimeline, ContactsAreHalfOpen) {
    const ContactTimeline timeline({contact(0, 10, 20, 1), contact(1, 30, 40, 1)});
    ASSERT_EQ(timeline.runs().size(), 2U);
    EXPECT_EQ(timeline.current_or_next(0)->start, 10U);
    EXPECT_EQ(timeline.current_or_next(19)->start, 10U);
    EXPECT_EQ(timeline.current_or_next(20)->start, 30U);
    EXPECT_EQ(timeline.current_or_next(40), nullptr);
}

TEST(ContactTimeline, ContactsThatTouchMerge) {
    const ContactTimeline timeline({contact(1, 20, 30, 7), contact(0, 10, 20, 5)});
    ASSERT_EQ(timeline.runs().size(), 1U);
    const ContactRun &run = timeline.runs()[0];
    EXPECT_EQ(run.end, 30U);
    ASSERT_EQ(run.steps.size(), 2U);
    EXPECT_EQ(run.step_at(19).rate, BitRate{5});
    EXPECT_EQ(run.step_at(20).rate, BitRate{7});
    EXPECT_EQ(run.next_change(10), 20U);
    EXPECT_EQ(run.next_change(20), 30U);
}

TEST(ContactTimeline, ContactsThatTouchAtTheSameRateAreOneStep) {
    const ContactTimeline timeline({contact(0, 10, 20, 5), contact(1, 20, 30, 5)});
    ASSERT_EQ(timeline.runs().size(), 1U);
    EXPECT_EQ(timeline.runs()[0].steps.size(), 1U);
}

TEST(ContactTimeline, OfContactsThatOverlapTheLastBegunIsInForce) {
    const ContactTimeline timeline(
        {contact(0, 0, 100, 1), contact(1, 10, 40, 2), contact(2, 20, 30, 3)});
    ASSERT_EQ(timeline.runs().size(), 1U);
    const ContactRun &run = timeline.runs()[0];
    EXPECT_EQ(run.end, 100U);
    EXPECT_EQ(run.step_at(5).rate, BitRate{1});
    EXPECT_EQ(run.step_at(10).rate, BitRate{2});
    EXPECT_EQ(run.step_at(29).rate, BitRate{3});
    EXPECT_EQ(run.step_at(30).rate, BitRate{2});
    EXPECT_EQ(run.step_at(99).rate, BitRate{1});
}

TEST(ContactTimeline, AContactInsideOfAnEarlierOneEndsTogetherWithIt) {
    const ContactTimeline timeline(
        {contact(0, 0, 50, 1), contact(1, 10, 20, 2), contact(2, 10, 50, 3)});
    const ContactRun &run = timeline.runs()[0];
    EXPECT_EQ(run.step_at(10).rate, BitRate{3});
    EXPECT_EQ(run.step_at(49).rate, BitRate{3});
    EXPECT_EQ(run.steps.size(), 2U);
}

}  // namespace
}  // namespace farlink::scheduler::contact_timeline_test
