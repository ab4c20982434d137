// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/contact_json.hpp"

#include <gtest/gtest.h>

namespace farlink::control::contact_json_test {
namespace {

using Json = nlohmann::ordered_json;

const config::PlanContact kContact{7,      NodeNumber{10}, NodeNumber{20},    1000,
                                   61'000, BitRate{8000},  milliseconds(1280)};

TEST(ContactJson, HasTheKeysOfAContactPlan) {
    EXPECT_EQ(to_json(kContact), (Json{{"contact", 7},
                                       {"source", 10},
                                       {"dest", 20},
                                       {"startTime", "2000-01-01T00:00:01.000Z"},
                                       {"endTime", "2000-01-01T00:01:01.000Z"},
                                       {"rateBitsPerSec", 8000},
                                       {"owlt", 1.28}}));
}

TEST(ContactJson, IsReadAgain) {
    const auto read = contacts_from_json(to_json(std::vector{kContact}), 0);
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(*read, std::vector{kContact});
    EXPECT_FALSE(contacts_from_json(Json::array({{{"contact", 7}}}), 0));
}

TEST(ContactJson, RepeatsAreKept) {
    config::PlanContact periodic = kContact;
    periodic.repeat = 90'500;
    EXPECT_FALSE(to_json(periodic).contains("until"));
    periodic.until = 600'000;
    const Json json = to_json(periodic);
    EXPECT_EQ(json["repeatSeconds"], 90.5);
    EXPECT_EQ(json["until"], "2000-01-01T00:10:00.000Z");
    const auto read = contacts_from_json(Json::array({json}), 0);
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(*read, std::vector{periodic});
}

TEST(ContactJson, IsMadeOfIonsCommands) {
    const auto made = contacts_from_ion("a contact +1 +61 10 20 1000\n", 0);
    ASSERT_TRUE(made) << made.error().to_string();
    ASSERT_EQ(made->size(), 1U);
    EXPECT_EQ((*made)[0]["startTime"], "2000-01-01T00:00:01.000Z");
    EXPECT_EQ((*made)[0]["endTime"], "2000-01-01T00:01:01.000Z");
    EXPECT_EQ((*made)[0]["rateBitsPerSec"], 8000);
    EXPECT_TRUE(contacts_from_json(*made, 0));
    EXPECT_FALSE(contacts_from_ion("a contact +1 +61 10\n", 0));
}

}  // namespace
}  // namespace farlink::control::contact_json_test
