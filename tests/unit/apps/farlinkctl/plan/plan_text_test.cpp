// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/plan/plan_text.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::plan_text_test {
namespace {

TEST(PlanText, MomentsAreReadInTheFormOfThePlan) {
    config::ContactPlan relative;
    EXPECT_EQ(read_moment(relative, "+12.5"), DtnTime{12'500});
    EXPECT_EQ(read_moment(relative, "0"), DtnTime{0});
    for (const char *wrong : {"-1", "now", "2026-01-02T03:04:05Z", "1 s", ""})
        EXPECT_FALSE(read_moment(relative, wrong)) << wrong;
    config::ContactPlan absolute;
    absolute.absolute = true;
    const auto moment = read_moment(absolute, "2026-01-02T03:04:05Z");
    ASSERT_TRUE(moment);
    EXPECT_EQ(moment_text(absolute, *moment), "2026-01-02T03:04:05Z");
    EXPECT_TRUE(read_moment(absolute, "now"));
    EXPECT_FALSE(read_moment(absolute, "12.5"));
}

TEST(PlanText, RatesAndDelaysHaveUnits) {
    EXPECT_EQ(rate_text(BitRate{0}), "no limit");
    EXPECT_EQ(rate_text(BitRate{999}), "999 bit/s");
    EXPECT_EQ(rate_text(BitRate{1'500'000}), "1.5 Mbit/s");
    EXPECT_EQ(owlt_text(milliseconds(1'280)), "1.28 s");
}

TEST(PlanText, ContactsAreSortedByDirectionAndStart) {
    config::ContactPlan plan;
    const auto add = [&plan](std::uint64_t source, std::uint64_t destination, DtnTime start) {
        config::PlanContact contact;
        contact.source = NodeNumber{source};
        contact.destination = NodeNumber{destination};
        contact.start = start;
        plan.contacts.push_back(contact);
    };
    add(1, 2, 20);
    add(2, 1, 5);
    add(1, 2, 10);
    add(3, 4, 0);
    const auto all = by_direction(plan, 0);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all.begin()->second.front()->start, 10U);
    EXPECT_EQ(by_direction(plan, 4).size(), 1U);
}

}  // namespace
}  // namespace farlink::ctl::plan_text_test
