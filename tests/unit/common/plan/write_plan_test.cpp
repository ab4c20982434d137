// SPDX-License-Identifier: Apache-2.0
#include "common/plan/write_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/config/fields/instant.hpp"

namespace farlink::config::write_plan_test {
namespace {

/// How coarse the plan is: ION's form says nothing finer than its own units.
enum class Grain { kFine, kOfIon };

/// A valid plan: within each direction contacts follow each other, with and without a gap.
ContactPlan random_plan(std::mt19937_64 &random, Grain grain) {
    const std::uint64_t time_unit = grain == Grain::kFine ? 1 : 1000;
    ContactPlan plan;
    plan.absolute = random() % 2 == 0;
    const DtnTime base = plan.absolute ? *parse_utc("2026-03-01T00:00:00Z") : 0;
    for (std::uint64_t from = 1; from <= 3; ++from)
        for (std::uint64_t to = 1; to <= 3; ++to) {
            if (from == to) continue;
            DtnTime at = base;
            for (auto left = random() % 5; left > 0; --left) {
                at += random() % 2 * (random() % 5'000) * time_unit;
                const DtnTime end = at + (1 + random() % 5'000) * time_unit;
                const std::uint64_t rate = grain == Grain::kFine ? random() % 1'000'000'000
                                                                 : (1 + random() % 1'000'000) * 8;
                const Duration owlt = grain == Grain::kFine ? Duration(random() % 5'000'000'000)
                                                            : Duration(seconds(random() % 3));
                plan.contacts.push_back({plan.contacts.size(), NodeNumber{from}, NodeNumber{to}, at,
                                         end, BitRate{rate}, owlt});
                at = end;
            }
        }
    // Not in order of time and nodes; numbered in order of the file, as ION's form is.
    std::ranges::shuffle(plan.contacts, random);
    for (std::size_t i = 0; i < plan.contacts.size(); ++i) plan.contacts[i].id = i;
    return plan;
}

ContactPlan read(const std::string &text) {
    auto plan = parse_contact_plan(text);
    if (plan) return std::move(*plan);
    ADD_FAILURE() << text << plan.error().to_string();
    return {};
}

void expect_same(const ContactPlan &plan, const ContactPlan &again, const std::string &text) {
    EXPECT_EQ(plan.contacts, again.contacts) << text;
    if (!plan.contacts.empty()) {
        EXPECT_EQ(plan.absolute, again.absolute);
    }
    EXPECT_TRUE(again.notes.empty()) << text << again.notes.to_string();
}

TEST(WritePlan, WhatIsWrittenAsJsonReadsBackTheSame) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 300; ++round) {
        const ContactPlan plan = random_plan(random, Grain::kFine);
        const std::string text = write_json_plan(plan);
        expect_same(plan, read(text), text);
    }
}

TEST(WritePlan, WhatIonCanSayReadsBackTheSame) {
    std::mt19937_64 random(2);
    for (int round = 0; round < 300; ++round) {
        const ContactPlan plan = random_plan(random, Grain::kOfIon);
        const IonText written = write_ion_plan(plan);
        EXPECT_TRUE(written.losses.empty()) << written.losses.to_string();
        expect_same(plan, read(written.text), written.text);
    }
}

TEST(WritePlan, IonsFormPromisesNoMore) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 300; ++round) {
        const ContactPlan plan = random_plan(random, Grain::kFine);
        const IonText written = write_ion_plan(plan);
        const ContactPlan again = read(written.text);
        for (const PlanContact &found : again.contacts) {
            const auto fits = [&](const PlanContact &was) {
                return was.source == found.source && was.destination == found.destination &&
                       was.start <= found.start && found.end <= was.end &&
                       (was.rate >= found.rate || was.rate == BitRate{0}) && was.owlt <= found.owlt;
            };
            EXPECT_TRUE(std::ranges::any_of(plan.contacts, fits)) << written.text;
        }
        EXPECT_EQ(plan.contacts.empty(), written.losses.empty());
    }
}

TEST(WritePlan, Json) {
    ContactPlan plan = read("a contact +0 +3600 1 2 1000\na range +0 +3600 1 2 1\n");
    plan.contacts[0].start = 500;
    plan.contacts[0].owlt = milliseconds(1280);
    EXPECT_EQ(write_json_plan(plan),
              "{\n  \"contacts\": [\n    { \"contact\": 0, \"source\": 1, \"dest\": 2, "
              "\"startTime\": 0.5, \"endTime\": 3600, \"rateBitsPerSec\": 8000, \"owlt\": 1.28 }\n"
              "  ]\n}\n");
    EXPECT_EQ(write_json_plan({}), "{\n  \"contacts\": []\n}\n");
}

TEST(WritePlan, TheListAloneHasTheSameContactsInOneLine) {
    std::mt19937_64 random(17);
    for (int round = 0; round < 100; ++round) {
        const ContactPlan plan = random_plan(random, Grain::kFine);
        const std::string list = write_json_contacts(plan);
        EXPECT_EQ(list.find_first_of(" \n"), std::string::npos) << list;
        const std::string text = "{\"contacts\":" + list + '}';
        expect_same(plan, read(text), text);
    }
    EXPECT_EQ(write_json_contacts({}), "[]");
}

TEST(WritePlan, IonWithOneRangeForBothWays) {
    const std::string text =
        "# Contact plan: start, stop, from, to, bytes per second; ranges in light seconds.\n"
        "a contact 2026/01/02-00:00:00 2026/01/02-01:00:00 1 2 1000\n"
        "a contact 2026/01/02-00:10:00 2026/01/02-00:20:00 2 1 500\n"
        "a contact 2026/01/02-02:00:00 2026/01/02-03:00:00 1 2 1000\n"
        "a range 2026/01/02-00:00:00 2026/01/02-03:00:00 1 2 2\n";
    EXPECT_EQ(write_ion_plan(read(text)).text, text);
    EXPECT_TRUE(read(write_ion_plan({}).text).contacts.empty());
}

TEST(WritePlan, WhatIonCannotSayIsNamed) {
    const IonText written = write_ion_plan(read(
        R"({"contacts":[{"contact":4,"source":1,"dest":2,"startTime":0.5,"endTime":9,"owlt":1.28},
                        {"contact":5,"source":2,"dest":1,"startTime":0.2,"endTime":0.7}]})"));
    EXPECT_EQ(written.text,
              "# Contact plan: start, stop, from, to, bytes per second; ranges in light seconds.\n"
              "a contact +1 +9 1 2 1250000000000\n"
              "a range +1 +9 1 2 2\n");
    EXPECT_EQ(
        written.losses.to_string(),
        "contact 4: ION's times are whole seconds; its start is rounded up, its end down\ncontact "
        "4: ION's one-way light times are whole seconds; rounded up\ncontact 4: ION requires a "
        "rate; writing 10 Tbit/s\ncontact 5: ION's times are whole seconds; its start is rounded "
        "up, its end down\ncontact 5: ION requires a rate; writing 10 Tbit/s\ncontact 5: less than "
        "a second or 8 bit/s; the contact is left out\n");
}

}  // namespace
}  // namespace farlink::config::write_plan_test
