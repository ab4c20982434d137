// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/plan_edit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/random.hpp"
#include "common/routing/contact_changes.hpp"

namespace farlink::control::plan_edit_test {
namespace {

using nlohmann::ordered_json;

constexpr DtnTime kNow = 700'000'000'000;

ordered_json random_row(Random &random, std::uint64_t number) {
    const std::uint64_t start = random.below(200);
    ordered_json row{{"contact", number},
                     {"source", 1 + random.below(3)},
                     {"dest", 1 + random.below(3)},
                     {"startTime", start},
                     {"endTime", start + random.below(8)},
                     {"rateBitsPerSec", random.below(2) * 8000}};
    const bool periodic = random.chance(1, 8);
    row["repeatSeconds"] = periodic ? 5 + random.below(100) : 0;
    if (periodic) row["until"] = start + random.below(300);
    return row;
}

Contacts by_number(Contacts contacts) {
    std::ranges::sort(contacts, {}, &config::PlanContact::id);
    return contacts;
}

/// What the whole plan says, read anew.
Result<Contacts, config::ConfigErrors> read_whole(const ordered_json &fresh, const Contacts &plan,
                                                  std::uint64_t without) {
    auto added = contacts_from_json(fresh, kNow);
    if (!added) return added;
    ordered_json all = to_json(*added);
    for (const config::PlanContact &contact : plan)
        if (contact.id != without) all.push_back(to_json(contact));
    return contacts_from_json(all, kNow);
}

TEST(PlanEdit, OneContactIsCheckedAsTheWholePlanWouldBe) {
    Random random(3);
    Contacts plan;
    std::size_t refused = 0;
    for (std::uint64_t step = 0; step < 3000; ++step) {
        SCOPED_TRACE("step " + std::to_string(step));
        const bool known = !plan.empty() && random.chance(1, 3);
        const std::uint64_t number = known ? plan[random.below(plan.size())].id : random.below(200);
        const ordered_json row = ordered_json::array({random_row(random, number)});
        const EditResult edited =
            known ? change_contacts(plan, row, kNow) : add_contacts(plan, row, kNow);
        const auto whole = read_whole(row, plan, known ? number : ~std::uint64_t{0});
        ASSERT_EQ(edited.has_value(), whole.has_value());
        if (!edited) {
            ++refused;
            if (!known) {
                ASSERT_EQ(edited.error().to_string(), whole.error().to_string());
            }
            continue;
        }
        routing::change_contacts(plan, edited->gone(), edited->come());
        ASSERT_EQ(by_number(plan), by_number(*whole));
        if (plan.size() > 60) {
            const auto left = remove_contacts(plan, ordered_json::array({plan[7].id, plan[9].id}));
            ASSERT_TRUE(left.has_value());
            ASSERT_EQ(left->removed, (Contacts{plan[7], plan[9]}));
            routing::change_contacts(plan, left->gone(), left->come());
            ASSERT_EQ(plan.size(), 59U);
        }
    }
    EXPECT_GT(refused, 500U);
    EXPECT_LT(refused, 2500U);
}

TEST(PlanEdit, AnEqualContactIsNoChange) {
    const ordered_json rows = ordered_json::array(
        {{{"contact", 1}, {"source", 1}, {"dest", 2}, {"startTime", 0}, {"endTime", 9}},
         {{"contact", 2}, {"source", 2}, {"dest", 1}, {"startTime", 0}, {"endTime", 9}}});
    const Contacts plan = *contacts_from_json(rows, kNow);
    EXPECT_TRUE(replace_contacts(plan, rows, kNow)->empty());
    EXPECT_TRUE(change_contacts(plan, {{{"contact", 2}, {"owlt", 0}}}, kNow)->empty());
    EXPECT_EQ(change_contacts(plan, {{{"contact", 2}, {"owlt", 1}}}, kNow)->size(), 1U);
    const auto fewer = replace_contacts(plan, ordered_json::array({rows[0]}), kNow);
    EXPECT_EQ(fewer->removed, Contacts{plan[1]});
}

TEST(PlanEdit, EveryErrorHasItsPlaceInTheRequest) {
    const ordered_json rows = ordered_json::array(
        {{{"contact", 1}, {"source", 1}, {"dest", 2}, {"startTime", 0}, {"endTime", 9}}});
    const Contacts plan = *contacts_from_json(rows, kNow);
    const auto added = add_contacts(plan, rows, kNow);
    ASSERT_FALSE(added);
    ASSERT_EQ(added.error().errors.size(), 2U) << added.error().to_string();
    const auto changed = change_contacts(plan, {{{"contact", 1}, {"endTime", "never"}}}, kNow);
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().errors[0].path, "contacts[0].endTime");
    EXPECT_FALSE(remove_contacts(plan, ordered_json::array({1, 1})));
    EXPECT_FALSE(remove_contacts(plan, ordered_json::array({4})));
}

}  // namespace
}  // namespace farlink::control::plan_edit_test
