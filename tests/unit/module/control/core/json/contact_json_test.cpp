// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/contact_json.hpp"

#include <gtest/gtest.h>

#include <utility>

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

std::string errors_of(const Result<std::vector<config::PlanContact>, config::ConfigErrors> &read) {
    return read ? "none" : read.error().to_string();
}

// Contacts of a request are checked without their text, and have the errors of a file.
TEST(ContactJson, HasTheErrorsOfAPlanFile) {
    const Json good = to_json(kContact);
    const auto with = [&good](const char *key, Json value) {
        Json contact = good;
        contact[key] = std::move(value);
        return contact;
    };
    const Json bad[] = {with("contact", -1),
                        with("contact", 1.5),
                        with("contact", "7"),
                        with("source", nullptr),
                        with("source", "dtn://moon/"),
                        with("dest", 10),
                        with("startTime", true),
                        with("startTime", 1e20),
                        with("startTime", "noon"),
                        with("endTime", 0.0001),
                        with("owlt", -0.25),
                        with("rateBitsPerSec", "64x"),
                        with("rates", 1),
                        with("rates", Json::array()),
                        with("until", "\u00e9\n"),
                        with("repeatSeconds", 1),
                        Json(7),
                        Json::object()};
    for (const Json &contact : bad) {
        const Json list = Json::array({good, contact, contact});
        const auto file = config::parse_contact_plan(Json{{"contacts", list}}.dump());
        ASSERT_FALSE(file) << contact;
        EXPECT_EQ(errors_of(contacts_from_json(list, 0)), file.error().to_string());
    }
    for (const Json &list : {Json("x"), Json::object(), Json()})
        EXPECT_NE(errors_of(contacts_from_json(list, 0)), "none");
}

}  // namespace
}  // namespace farlink::control::contact_json_test
