// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/hdtn/hdtn_plan.hpp"

#include <gtest/gtest.h>

#include "tests/unit/common/config_import/hdtn/hdtn_files.hpp"

namespace farlink::config::hdtn_plan_test {
namespace {

using test::import_plan_text;
using test::line_of;

std::string plan_of(const std::string &contacts) {
    return R"({"contacts": [)" + contacts + "]}";
}

/// One contact from node 1 to node 2, with `more` in it.
std::string contact(const std::string &more) {
    return R"({"contact": 1, "source": 1, "dest": 2, )" + more + "}";
}

ContactPlan read(const Imported &made) {
    auto plan = parse_contact_plan(made.plan);
    EXPECT_TRUE(plan) << made.plan << made.report.to_string();
    return plan ? std::move(*plan) : ContactPlan{};
}

TEST(HdtnPlan, KeepsItsContacts) {
    const ContactPlan plan = read(import_plan_text(
        plan_of(contact(R"("startTime": 5, "endTime": 20, "rateBitsPerSec": 1000, "owlt": 1.5)"))));
    ASSERT_EQ(plan.contacts.size(), 1U);
    EXPECT_EQ(plan.contacts[0], (PlanContact{1, NodeNumber{1}, NodeNumber{2}, 5000, 20'000,
                                             BitRate{1000}, milliseconds(1500)}));
    EXPECT_FALSE(plan.absolute);
}

TEST(HdtnPlan, UnixTimesBecomeUtc) {
    const std::string text =
        plan_of(contact(R"("startTime": 1767323045, "endTime": 1767326645, "owlt": 0)"));
    const Imported made = import_plan_text(text, true);
    EXPECT_NE(made.plan.find("2026-01-02T03:04:05"), std::string::npos) << made.plan;
    EXPECT_TRUE(read(made).absolute);
    const Imported without = import_plan_text(text);
    EXPECT_NE(line_of(without.report, "contacts[0].startTime").text.find("--use-unix-timestamp"),
              std::string::npos);
    EXPECT_TRUE(import_plan_text(plan_of(contact(R"("startTime": 0, "endTime": 9)")), true)
                    .report.refused());
}

TEST(HdtnPlan, TakesOldAndLooseForms) {
    const Imported made = import_plan_text(
        plan_of(contact(R"("startTime": "3", "endTime": 9, "rate": 5, "owlt": 1, "flowId": 2)")));
    const ContactPlan plan = read(made);
    ASSERT_EQ(plan.contacts.size(), 1U);
    EXPECT_EQ(plan.contacts[0].start, 3000U);
    EXPECT_EQ(plan.contacts[0].rate, BitRate{5'000'000});
    EXPECT_EQ(line_of(made.report, "contacts[0].flowId").outcome, ImportOutcome::kNoted);
    EXPECT_EQ(line_of(made.report, "contacts[0].rate").outcome, ImportOutcome::kChanged);
    EXPECT_EQ(line_of(made.report, "contacts[0].startTime").outcome, ImportOutcome::kChanged);
}

TEST(HdtnPlan, NumbersBecomeUniqueAndMissingValuesZero) {
    const Imported made =
        import_plan_text(plan_of(R"({"contact": 4, "source": 1, "dest": 2, "endTime": 9},
                   {"contact": 4, "source": 2, "dest": 1, "endTime": 9},
                   {"source": 3, "dest": 1, "endTime": 9})"));
    const ContactPlan plan = read(made);
    ASSERT_EQ(plan.contacts.size(), 3U) << made.report.to_string();
    EXPECT_EQ(plan.contacts[0].id, 4U);
    EXPECT_EQ(plan.contacts[1].id, 0U);
    EXPECT_EQ(plan.contacts[2].id, 1U);
    EXPECT_EQ(line_of(made.report, "contacts[0].owlt").outcome, ImportOutcome::kNoted);
}

TEST(HdtnPlan, LeavesOutWhatHasNoLength) {
    const Imported made = import_plan_text(
        plan_of(contact(R"("startTime": 9, "endTime": 9)") + "," +
                R"({"contact": 2, "source": 2, "dest": 2, "startTime": 0, "endTime": 5})"));
    EXPECT_EQ(made.report.count(ImportOutcome::kRefused), 0U) << made.report.to_string();
    EXPECT_TRUE(read(made).contacts.empty());
    EXPECT_EQ(line_of(made.report, "contacts[0]").outcome, ImportOutcome::kNoted);
    EXPECT_EQ(line_of(made.report, "contacts[1]").outcome, ImportOutcome::kNoted);
}

TEST(HdtnPlan, RefusesWhatIsNoContact) {
    for (const char *const bad :
         {R"("startTime": -1, "endTime": 9)", R"("startTime": 0, "endTime": "x")",
          R"("startTime": 0, "endTime": 9, "speed": 1)",
          R"("startTime": 0, "endTime": 9, "endTime": 8)", R"("startTime": 0)",
          R"("startTime": 0, "endTime": 9, "owlt": 1e9)",
          R"("startTime": 0, "endTime": 9, "rate": 1, "rateBitsPerSec": 1)",
          R"("startTime": 0, "endTime": 9, "rateBitsPerSec": 1.5)"})
        EXPECT_TRUE(import_plan_text(plan_of(contact(bad))).report.refused()) << bad;
    for (const char *const bad :
         {"[]", R"({"contacts": 7})", R"({"contacts": [7]})", "{}",
          R"({"contacts": [], "contacts": []})", R"({"contacts": [], "more": 1})",
          R"({"contacts": [{"source": 0, "dest": 2, "startTime": 0, "endTime": 1}]})"})
        EXPECT_TRUE(import_plan_text(bad).report.refused()) << bad;
}

TEST(HdtnPlan, SplitsOverlapsAndListsThePieces) {
    const Imported made = import_plan_text(test::read_import("ltp_plan.json"));
    const ContactPlan plan = read(made);
    ASSERT_EQ(plan.contacts.size(), 3U) << made.plan;
    EXPECT_EQ(plan.contacts[0].end, 500'000U);
    EXPECT_EQ(plan.contacts[1].start, 500'000U);
    EXPECT_EQ(plan.contacts[1].end, 3'000'000U);
    EXPECT_EQ(plan.contacts[1].rate, BitRate{20'000'000});
    EXPECT_EQ(plan.contacts[1].owlt, seconds(1));
    EXPECT_NE(made.report.to_string().find("of the overlapping 0, 1: contact 3, from node 40 to "
                                           "node 42, 500 s to 3000 s, 20000000 bit/s, owlt 1 s"),
              std::string::npos)
        << made.report.to_string();
}

}  // namespace
}  // namespace farlink::config::hdtn_plan_test
