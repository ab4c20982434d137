// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/contact_text.hpp"

#include <gtest/gtest.h>

#include "common/base/random.hpp"
#include "module/control/core/json/contact_json.hpp"

namespace farlink::control::contact_text_test {
namespace {

using Json = nlohmann::ordered_json;
using Contacts = std::vector<config::PlanContact>;

config::PlanContact random_contact(Random &random) {
    config::PlanContact contact{
        random.below(1'000'000),
        NodeNumber{random.below(1'000)},
        NodeNumber{random.below(1'000)},
        random.below(2'000'000'000'000),
        random.below(300'000'000'000'000),
        BitRate{random.below(2) * random.below(1'000'000'000'000)},
        Duration(static_cast<std::int64_t>(random.below(2) * random.below(1'000'000'000'000'000)))};
    if (random.chance(1, 3)) contact.repeat = 1 + random.below(2'678'400'000);
    if (random.chance(1, 3)) contact.until = random.below(2'000'000'000'000);
    return contact;
}

// Files keep their form, octet by octet.
TEST(ContactText, IsThatOfTheTree) {
    Random random(11);
    for (const std::size_t count : {0U, 1U, 2U, 500U}) {
        Contacts contacts;
        for (std::size_t i = 0; i < count; ++i) contacts.push_back(random_contact(random));
        EXPECT_EQ(contacts_text(contacts, TextForm::kOneLine), to_json(contacts).dump());
        EXPECT_EQ("{\n \"contacts\": " + contacts_text(contacts, TextForm::kLines) + "\n}",
                  (Json{{"contacts", to_json(contacts)}}.dump(1)));
    }
}

}  // namespace
}  // namespace farlink::control::contact_text_test
