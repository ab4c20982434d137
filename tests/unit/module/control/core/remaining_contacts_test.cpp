// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/remaining_contacts.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace farlink::control::remaining_contacts_test {
namespace {

constexpr DtnTime kStart = 800'000'000'000;
constexpr NodeNumber kNode{10};

config::PlanContact contact(std::uint64_t source, std::uint64_t destination, std::uint64_t from_s,
                            std::uint64_t to_s, std::uint64_t rate) {
    return {0,
            NodeNumber{source},
            NodeNumber{destination},
            kStart + from_s * 1000,
            kStart + to_s * 1000,
            BitRate{rate},
            {}};
}

SharedPlan plan_of(Contacts contacts) {
    return std::make_shared<const Contacts>(std::move(contacts));
}

TEST(RemainingContacts, PeriodicContactsEndWithTheirLastRepeat) {
    RemainingContacts remaining(kNode);
    config::PlanContact periodic = contact(10, 20, 0, 10, 8000);
    periodic.repeat = 100'000;
    periodic.until = kStart + 1'000'000;
    const SharedPlan ending = plan_of({periodic, contact(10, 20, 20, 21, 8000)});
    const auto at_first = remaining.to_json(ending, kStart + 5000);
    EXPECT_EQ(at_first[0]["ends"], "2025-05-08T06:28:30.000Z") << "900 s and 10 s";
    EXPECT_EQ(at_first[0]["remainingBytes"], 5000 + 9 * 10'000 + 1000);
    EXPECT_EQ(remaining.to_json(ending, kStart + 920'000)[0]["remainingBytes"], 0);
    periodic.until = kDtnNever;
    const auto endless = remaining.to_json(plan_of({periodic}), kStart);
    EXPECT_TRUE(endless[0]["ends"].is_null());
    EXPECT_FALSE(endless[0].contains("remainingBytes"));
}

TEST(RemainingContacts, WhatIsOverAndWhatIsOfOthersDoesNotCount) {
    RemainingContacts remaining(kNode);
    const SharedPlan plan =
        plan_of({contact(10, 20, 100, 200, 8000), contact(10, 20, 0, 10, 8000),
                 contact(20, 10, 0, 1000, 8000), contact(20, 30, 0, 1000, 8000)});
    const auto before = remaining.to_json(plan, kStart);
    ASSERT_EQ(before.size(), 1U) << before;
    EXPECT_EQ(before[0]["neighbour"], 20);
    EXPECT_EQ(before[0]["ends"], "2025-05-08T06:16:40.000Z");
    EXPECT_EQ(before[0]["remainingBytes"], 110'000);
    EXPECT_EQ(remaining.to_json(plan, kStart + 50'000)[0]["remainingBytes"], 100'000);
    EXPECT_EQ(remaining.to_json(plan, kStart + 150'000)[0]["remainingBytes"], 50'000);
    const auto after = remaining.to_json(plan, kStart + 200'000);
    EXPECT_EQ(after[0]["remainingBytes"], 0);
    EXPECT_EQ(after[0]["ends"], "2025-05-08T06:16:40.000Z");
}

TEST(RemainingContacts, ARateOfZeroIsUnlimited) {
    RemainingContacts remaining(kNode);
    const SharedPlan plan = plan_of({contact(10, 20, 0, 100, 0), contact(10, 20, 100, 200, 8000)});
    EXPECT_FALSE(remaining.to_json(plan, kStart)[0].contains("remainingBytes"));
    EXPECT_EQ(remaining.to_json(plan, kStart + 100'000)[0]["remainingBytes"], 100'000);
}

TEST(RemainingContacts, HugeVolumesStayNumbers) {
    RemainingContacts remaining(kNode);
    config::PlanContact endless = contact(10, 20, 0, 1, ~std::uint64_t{0});
    endless.end = kDtnNever;
    const auto rows = remaining.to_json(plan_of({endless}), kStart);
    EXPECT_EQ(rows[0]["ends"], nullptr);
    EXPECT_GT(rows[0]["remainingBytes"].get<std::uint64_t>(), std::uint64_t{1} << 62);
}

TEST(RemainingContacts, AnotherPlanIsSearchedAnew) {
    RemainingContacts remaining(kNode);
    EXPECT_EQ(remaining.to_json(nullptr, kStart).size(), 0U);
    EXPECT_EQ(remaining.to_json(plan_of({contact(10, 20, 0, 100, 8000)}), kStart).size(), 1U);
    EXPECT_EQ(remaining.to_json(plan_of({contact(10, 30, 0, 100, 8000)}), kStart)[0]["neighbour"],
              30);
    EXPECT_EQ(remaining.to_json(nullptr, kStart).size(), 0U);
}

TEST(RemainingContacts, APlanThatHasEndedIsNamedWithItsEnd) {
    const SharedPlan plan = plan_of({contact(10, 20, 100, 200, 8000), contact(10, 30, 0, 10, 8000),
                                     contact(20, 10, 0, 1000, 8000)});
    EXPECT_EQ(ended_plan_words(plan, kNode, kStart + 199'000), "");
    EXPECT_EQ(ended_plan_words(plan, kNode, kStart + 200'000),
              "the contact plan ended at 2025-05-08T06:16:40.000Z: 2 contacts of this node are "
              "past");
    EXPECT_EQ(ended_plan_words(plan, NodeNumber{30}, kStart + 200'000), "") << "it sends nothing";
    EXPECT_EQ(ended_plan_words(nullptr, kNode, kStart), "");
}

TEST(RemainingContacts, TheContactThatTheChainLacksIsSought) {
    const auto words = [](const SharedPlan &plan, std::uint64_t destination) {
        return missing_contact_words(plan, kNode, NodeNumber{destination}, kStart + 50'000);
    };
    const SharedPlan plan = plan_of({contact(10, 20, 0, 100, 8000), contact(30, 77, 0, 100, 8000),
                                     contact(20, 77, 0, 10, 8000), contact(20, 40, 0, 10, 8000)});
    EXPECT_EQ(words(plan, 77),
              "the contacts to node 77 come from node 30: see `routes explain` for node 30");
    EXPECT_EQ(words(plan, 30), "the contact plan has no contact to node 30");
    EXPECT_EQ(words(plan, 40), "the contact plan has no contact to node 40") << "it is over";
    EXPECT_EQ(words(plan, 20), "") << "it is a neighbour";
    EXPECT_EQ(words(plan, 0), "") << "a dtn name without a number";
    EXPECT_EQ(words(nullptr, 30), "");
    Contacts many;
    for (std::uint64_t source = 31; source < 35; ++source)
        many.push_back(contact(source, 77, 0, 100, 8000));
    EXPECT_EQ(words(plan_of(many), 77),
              "the contacts to node 77 come from nodes 31, 32, 33, ...: see `routes explain` for "
              "these nodes");
}

}  // namespace
}  // namespace farlink::control::remaining_contacts_test
