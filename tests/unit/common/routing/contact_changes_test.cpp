// SPDX-License-Identifier: Apache-2.0
#include "common/routing/contact_changes.hpp"

#include <gtest/gtest.h>

namespace farlink::routing::contact_changes_test {
namespace {

bus::Contact contact(std::uint64_t id, DtnTime start) {
    return {id, NodeNumber{1}, NodeNumber{2}, start, start + 10, {}, {}};
}

TEST(ContactChanges, RemovesEqualContactsAndAppendsNewOnes) {
    std::vector<bus::Contact> plan{contact(3, 0), contact(1, 20), contact(2, 40)};
    change_contacts(plan, std::vector{contact(1, 20), contact(3, 0)}, std::vector{contact(4, 60)});
    EXPECT_EQ(plan, (std::vector{contact(2, 40), contact(4, 60)}));
}

TEST(ContactChanges, AContactWithTheSameIdAndOtherValuesStays) {
    std::vector<bus::Contact> plan{contact(1, 20)};
    change_contacts(plan, std::vector{contact(1, 30)}, {});
    EXPECT_EQ(plan, std::vector{contact(1, 20)});
}

TEST(ContactChanges, OneOfSeveralContactsWithAnId) {
    std::vector<bus::Contact> plan{contact(1, 20), contact(1, 30), contact(1, 40)};
    change_contacts(plan, std::vector{contact(1, 30)}, {});
    EXPECT_EQ(plan, (std::vector{contact(1, 20), contact(1, 40)}));
}

}  // namespace
}  // namespace farlink::routing::contact_changes_test
