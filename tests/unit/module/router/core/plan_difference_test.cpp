// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/plan_difference.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace farlink::router::plan_difference_test {
namespace {

std::vector<bus::Contact> plan(std::initializer_list<std::uint64_t> ids) {
    std::vector<bus::Contact> contacts;
    for (const std::uint64_t id : ids)
        contacts.push_back({id, NodeNumber{1}, NodeNumber{2}, id, id + 1, {}, {}});
    return contacts;
}

std::vector<std::uint64_t> ids(std::span<const bus::Contact> contacts) {
    std::vector<std::uint64_t> found;
    for (const bus::Contact &contact : contacts) found.push_back(contact.id);
    return found;
}

using Ids = std::vector<std::uint64_t>;

void expect_difference(std::initializer_list<std::uint64_t> before,
                       std::initializer_list<std::uint64_t> after, const Ids &removed,
                       const Ids &added) {
    const auto old_plan = plan(before);
    const auto new_plan = plan(after);
    const PlanDifference found = difference(old_plan, new_plan);
    EXPECT_EQ(ids(found.removed), removed);
    EXPECT_EQ(ids(found.added), added);
}

TEST(PlanDifference, EqualPlansDoNotDiffer) {
    expect_difference({1, 2, 3}, {1, 2, 3}, {}, {});
    expect_difference({}, {}, {}, {});
}

TEST(PlanDifference, OneContactAtTheBeginningInTheMiddleAndAtTheEnd) {
    expect_difference({1, 2, 3}, {2, 3}, {1}, {});
    expect_difference({1, 2, 3}, {1, 9, 3}, {2}, {9});
    expect_difference({1, 2, 3}, {1, 2, 3, 4}, {}, {4});
}

TEST(PlanDifference, ARepeatedContactIsCountedOnce) {
    expect_difference({1, 1}, {1, 1, 1}, {}, {1});
    expect_difference({1, 1, 1}, {1}, {1, 1}, {});
}

TEST(PlanDifference, SeveralChangesIncludeTheContactsBetweenThem) {
    expect_difference({1, 2, 3, 4, 5}, {1, 8, 3, 9, 5}, {2, 3, 4}, {8, 3, 9});
}

}  // namespace
}  // namespace farlink::router::plan_difference_test
