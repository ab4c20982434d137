// SPDX-License-Identifier: Apache-2.0
#include "common/plan/ion_plan.hpp"

#include <gtest/gtest.h>

#include <random>
#include <span>

#include "common/config/fields/instant.hpp"

namespace farlink::config::ion_plan_test {
namespace {

std::vector<std::string> lines_of(const ConfigErrors &errors) {
    std::vector<std::string> lines;
    for (const ConfigError &error : errors.errors) lines.push_back(error.to_string());
    return lines;
}

std::vector<std::string> errors_of(std::string_view text) {
    const auto plan = parse_ion_plan(text);
    return plan ? std::vector<std::string>{} : lines_of(plan.error());
}

ContactPlan plan_of(std::string_view text) {
    auto plan = parse_ion_plan(text);
    if (plan) return std::move(*plan);
    ADD_FAILURE() << text << '\n' << plan.error().to_string();
    return {};
}

PlanContact contact(std::uint64_t id, std::uint64_t from, std::uint64_t to, DtnTime start_s,
                    DtnTime end_s, std::uint64_t rate, std::int64_t owlt_s) {
    return {id,           NodeNumber{from}, NodeNumber{to}, start_s * 1000,
            end_s * 1000, BitRate{rate},    seconds(owlt_s)};
}

TEST(IonPlan, SecondsBesideTimesInUtcCountFromTheStart) {
    constexpr std::string_view kMixed =
        "a contact +60 +120 1 2 1000\n"
        "a contact 2026/01/01-00:00:00 +86400 2 1 1000\n"
        "a range 2025/12/31-00:00:00 2027/01/01-00:00:00 1 2 3\n";
    const DtnTime noon = parse_utc("2025-12-31T12:00:00Z").value();
    const auto plan = parse_ion_plan(kMixed, noon);
    ASSERT_TRUE(plan) << plan.error().to_string();
    EXPECT_TRUE(plan->absolute);
    EXPECT_TRUE(plan->anchored);
    ASSERT_EQ(plan->contacts.size(), 2U);
    EXPECT_EQ(plan->contacts[0].start, noon + 60'000);
    EXPECT_EQ(plan->contacts[0].owlt, seconds(3));
    EXPECT_EQ(plan->contacts[1].start, parse_utc("2026-01-01T00:00:00Z").value());
    EXPECT_EQ(plan->contacts[1].end, noon + 86'400'000);
    EXPECT_FALSE(parse_ion_plan(kMixed)) << "nobody has told the start";
    const auto plain = parse_ion_plan("a contact +60 +120 1 2 1000\n", noon);
    ASSERT_TRUE(plain);
    EXPECT_FALSE(plain->absolute) << "it stays as it is";
}

TEST(IonPlan, ContactsAndRanges) {
    const ContactPlan plan = plan_of(
        "# a comment\r\n"
        "\n"
        "m horizon +0\n"
        "a contact +0 +3600 1 2 100000\r\n"
        "\ta contact   +0 +3600 2 1 50000 1.0 \n"
        "a range +0 +3600 1 2 1\n");
    EXPECT_FALSE(plan.absolute);
    EXPECT_TRUE(plan.notes.empty()) << plan.notes.to_string();
    EXPECT_EQ(plan.contacts, (std::vector{contact(0, 1, 2, 0, 3600, 800'000, 1),
                                          contact(1, 2, 1, 0, 3600, 400'000, 1)}));
}

TEST(IonPlan, FractionsOfSeconds) {
    const ContactPlan plan = plan_of(
        "a contact +0.25 +10.500 1 2 1\n"
        "a range +0 +20 1 2 1.28\n");
    ASSERT_EQ(plan.contacts.size(), 1U);
    EXPECT_EQ(plan.contacts[0].start, 250U);
    EXPECT_EQ(plan.contacts[0].end, 10'500U);
    EXPECT_EQ(plan.contacts[0].owlt, milliseconds(1280));
    const ContactPlan utc = plan_of("a contact 2026/01/02-03:04:05.25 2026/01/02-03:04:06 1 2 1\n");
    ASSERT_EQ(utc.contacts.size(), 1U);
    EXPECT_EQ(utc.contacts[0].start, *parse_utc("2026-01-02T03:04:05.250Z"));
}

TEST(IonPlan, AbsoluteTimesAndTheReference) {
    const ContactPlan plan = plan_of(
        "a contact 2026/01/02-03:04:05 2026/01/02-03:05:00 1 2 1\n"
        "@ 2026/01/02-04:00:00\n"
        "a contact +0 +60 1 2 1\n"
        "@ +3600\n"
        "a contact +0 +60 1 2 1\n");
    EXPECT_TRUE(plan.absolute);
    ASSERT_EQ(plan.contacts.size(), 3U);
    EXPECT_EQ(plan.contacts[0].start, *parse_utc("2026-01-02T03:04:05Z"));
    EXPECT_EQ(plan.contacts[1].start, *parse_utc("2026-01-02T04:00:00Z"));
    EXPECT_EQ(plan.contacts[2].end, *parse_utc("2026-01-02T05:01:00Z"));
}

TEST(IonPlan, AReferenceInSecondsMovesWhatFollows) {
    const ContactPlan plan = plan_of("@ +100\n@ +100\na contact +0 +10 1 2 1\n");
    EXPECT_FALSE(plan.absolute);
    EXPECT_EQ(plan.contacts, std::vector{contact(0, 1, 2, 200, 210, 8, 0)});
}

TEST(IonPlan, ARangeThatCoversAPartSplitsAContact) {
    const ContactPlan plan = plan_of(
        "a contact +0 +100 1 2 1\n"
        "a range +20 +40 1 2 3\n"
        "a range +40 +50 1 2 3\n"
        "a range +60 +200 1 2 4\n");
    EXPECT_EQ(plan.contacts,
              (std::vector{contact(0, 1, 2, 0, 20, 8, 0), contact(1, 1, 2, 20, 50, 8, 3),
                           contact(2, 1, 2, 50, 60, 8, 0), contact(3, 1, 2, 60, 100, 8, 4)}));
    EXPECT_EQ(
        lines_of(plan.notes),
        std::vector<std::string>{
            "line 1, column 1: no range gives the one-way light time from 0 s to 20 s; 0 is used"});
}

TEST(IonPlan, ARangeHoldsForTheWayBackUnlessThatHasItsOwn) {
    const ContactPlan plan = plan_of(
        "a contact +0 +30 2 1 1\n"
        "a range +0 +30 1 2 5\n"
        "a range +10 +20 2 1 7\n");
    EXPECT_EQ(plan.contacts,
              (std::vector{contact(0, 2, 1, 0, 10, 8, 5), contact(1, 2, 1, 10, 20, 8, 7),
                           contact(2, 2, 1, 20, 30, 8, 5)}));
}

TEST(IonPlan, ARangeFromTheLargerNumberSaysNothingOfTheWayBack) {
    const ContactPlan plan = plan_of("a contact +0 +30 1 2 1\na range +0 +30 2 1 5\n");
    EXPECT_EQ(plan.contacts, std::vector{contact(0, 1, 2, 0, 30, 8, 0)});
    EXPECT_EQ(plan.notes.errors.size(), 1U);
}

TEST(IonPlan, DeletedAndChanged) {
    const ContactPlan plan = plan_of(
        "d contact * 1 2\n"
        "a contact +0 +10 1 2 1\n"
        "a contact +10 +20 1 2 1\n"
        "a contact +0 +10 2 1 1\n"
        "a range +0 +20 1 2 9\n"
        "d contact +0 1 2\n"
        "c contact +10 1 2 5 0.5\n"
        "d range * 1 2\n"
        "a contact +0 +5 1 2 2\n"
        "a range +0 +20 1 2 1\n");
    EXPECT_EQ(plan.contacts,
              (std::vector{contact(0, 1, 2, 10, 20, 40, 1), contact(1, 2, 1, 0, 10, 8, 1),
                           contact(2, 1, 2, 0, 5, 16, 1)}));
    EXPECT_EQ(lines_of(plan.notes),
              std::vector<std::string>{"line 7, column 21: ignored the confidence \"0.5\"; the "
                                       "contact is treated as certain"});
}

TEST(IonPlan, WhatBelongsToAnIonNodeIsPassedOver) {
    const ContactPlan plan = plan_of(
        "1 1 config.ionconfig\n"
        "s\n"
        "m production 1000000\n"
        "^ 1\n"
        "a contact -1 -1 3 3 0\n"
        "a contact +0 0 1 3 100\n"
        "a contact +0 +10 1 2 1\n"
        "a range +0 +10 1 2 0\n"
        "l contact\n");
    EXPECT_EQ(plan.contacts.size(), 1U);
    ASSERT_EQ(plan.notes.errors.size(), 6U);
    EXPECT_EQ(plan.notes.errors[0].to_string(),
              "line 1, column 1: ignored \"1\"; it configures an ION node, not the plan");
}

struct ErrorCase {
    std::string text;
    std::string message;  ///< the only error
};

void expect_messages(std::span<const ErrorCase> cases) {
    for (const ErrorCase &test : cases)
        EXPECT_EQ(errors_of(test.text), std::vector<std::string>{test.message}) << test.text;
}

TEST(IonPlan, ExactMessagesOfCommandsAndTimes) {
    const ErrorCase cases[] = {
        {"a contact +0 +10 1 2 1",
         "line 1, column 23: the file ends within a line; expected an "
         "end of line; the file may be truncated"},
        {"# nothing\n",
         "the file contains no command; expected `a contact` and `a range`, or a plan in JSON; a "
         "plan without contacts contains `m horizon 0`"},
        {"\n  hello world\n",
         "line 2, column 3: found \"hello\"; expected `a`, `c` or `d` with `contact` or `range`, "
         "`@ time`, or a comment after `#`; a plan in JSON begins with {"},
        {"a span 2 10 10\n",
         "line 1, column 3: found \"span\"; expected `contact` or `range`; commands of ION's other "
         "programs are not allowed here"},
        {"a contact +0 +10 1 2\n",
         "line 1, column 21: found 6 words; expected `a contact`, start, stop, sending node, "
         "receiving node, bytes per second and optionally a confidence"},
        {"a contact +0 +10 1 2 5 1 1\n",
         "line 1, column 26: found 9 words; expected `a contact`, start, stop, sending node, "
         "receiving node, bytes per second and optionally a confidence"},
        {"a contact +10 +5 1 2 1\n",
         "line 1, column 15: found 5 s; expected a time after the start (10 s)"},
        {"a contact +10 +10 1 2 1\n",
         "line 1, column 15: found 10 s; expected a time after the start (10 s)"},
        {"a contact 0 +10 1 2 1\n",
         "line 1, column 11: found \"0\"; expected +seconds up to +315360000, or a time in UTC "
         "such as 2026/01/02-03:04:05; seconds from the reference time begin with +"},
        {"a contact +0 +1700000000 1 2 1\n",
         "line 1, column 14: found \"+1700000000\"; expected +seconds up to +315360000, or a time "
         "in UTC such as 2026/01/02-03:04:05; Unix seconds are written as a time in UTC"},
        {"a contact +0.0005 +1 1 2 1\n",
         "line 1, column 11: found \"+0.0005\"; expected +seconds up to +315360000, or a time in "
         "UTC such as 2026/01/02-03:04:05; a time in a plan has whole milliseconds: finer times "
         "would be rounded"},
        {"a contact +1. +2 1 2 1\n",
         "line 1, column 11: found \"+1.\"; expected +seconds up to +315360000, or a time in UTC "
         "such as 2026/01/02-03:04:05; a time in a plan has whole milliseconds: finer times would "
         "be rounded"},
        {"a contact 2026/02/30-00:00:00 2026/03/01-00:00:00 1 2 1\n",
         "line 1, column 11: found \"2026/02/30-00:00:00\"; expected +seconds up to +315360000, or "
         "a time in UTC such as 2026/01/02-03:04:05"},
    };
    expect_messages(cases);
}

TEST(IonPlan, ExactMessagesOfNumbersAndWhatContradicts) {
    const ErrorCase cases[] = {
        {"a contact +0 +10 0 2 1\n",
         "line 1, column 18: found \"0\"; expected a whole number from 1 to 18446744073709551615"},
        {"a contact +0 +10 1 18446744073709551616 1\n",
         "line 1, column 20: found \"18446744073709551616\"; expected a whole number from 1 to "
         "18446744073709551615"},
        {"a contact +0 +10 3 3 1\n",
         "line 1, column 20: found 3, which is the source too; expected another node"},
        {"a contact +0 +10 1 2 -1\n",
         "line 1, column 22: found \"-1\"; expected a whole number from 1 to 1250000000000 (bytes "
         "per second)"},
        {"a contact +0 +10 1 2 1 1.5\n",
         "line 1, column 24: found \"1.5\"; expected a confidence above 0 and up to 1"},
        {"a range +0 +10 1 2 1.2.8\n",
         "line 1, column 20: found \"1.2.8\"; expected a number from 0 to 1000000 (seconds of "
         "one-way light time)"},
        {"a range +0 +10 1 2 -1\n",
         "line 1, column 20: found \"-1\"; expected a number from 0 to 1000000 (seconds of one-way "
         "light time)"},
        {"a range +10 +10 1 2 1\n",
         "line 1, column 13: found \"+10\"; expected a time after the start (10 s)"},
        {"a range +0 +10 1 1 1\n",
         "line 1, column 18: found \"1\"; expected another node than the first"},
        {"a range +0 +10 1 2 1\na range +9 +20 1 2 2\n",
         "line 2, column 1: overlaps the range in line 1; expected one range at a time from one "
         "node to another; they contradict each other: 1 s there and 2 s here"},
        {"a contact +0 +10 1 2 1\na range 2026/01/01-00:00:00 2026/01/01-00:00:01 1 2 1\n",
         "line 2, column 9: a range in another form of time than the first contact; expected one "
         "form in the whole plan"},
        {"a contact +0 +10 1 2 1\na contact +5 +20 1 2 2\n",
         "line 2, column 1: 5 s to 20 s, overlaps the one in line 1, column 1, 0 s to 10 s, also "
         "from node 1 to node 2; expected one contact at a time from one node to another; they "
         "contradict each other: the rate in bit/s is 8 there and 16 here"},
        {"a contact +0 +10 1 2 1\nd contact +1 1 2\n",
         "line 2, column 11: found \"+1\"; expected the start of one of these nodes above"},
        {"a contact +0 +10 1 2 1\nc contact +0 2 1 7\n",
         "line 2, column 11: found \"+0\"; expected the start of a contact of these nodes above"},
        {"c range +0 1 2 7\n",
         "line 1, column 3: found \"range\"; expected `contact`; a range is "
         "changed by `d range` and `a range`"},
        {"^ 1\na contact +0 +10 1 2 1\n^ 2\n",
         "line 3, column 3: found \"2\"; expected one region in a file, named before the first "
         "contact; each region is a plan of its own"},
    };
    expect_messages(cases);
}

TEST(IonPlan, EveryErrorInOneGo) {
    EXPECT_EQ(errors_of("a contact x +1 0 2 0\nnonsense\na range +0 +5 1 2 y\n").size(), 5U);
}

TEST(IonPlan, ErrorsAndCommandsAreBounded) {
    std::string nonsense;
    for (int i = 0; i < 5'000; ++i) nonsense += "nonsense\n";
    const auto plan = parse_ion_plan(nonsense);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().errors.size(), kMostErrors);
    EXPECT_EQ(plan.error().omitted, 5'000 - kMostErrors);

    std::string many;
    for (std::size_t i = 0; i <= kMostContacts; ++i) many += "a range +0 +1 1 2 1\n";
    EXPECT_EQ(errors_of(many).front().substr(0, 45),
              "line 500001, column 1: too many contacts; exp");
}

TEST(IonPlan, DeletingIsNotQuadratic) {
    std::string text;
    for (int i = 0; i < 50'000; ++i) {
        text += "a contact +" + std::to_string(i) + " +" + std::to_string(i + 1) + " 1 2 1\n";
        if (i % 2 == 1) text += "d contact +" + std::to_string(i) + " 1 2\n";
    }
    EXPECT_EQ(plan_of(text).contacts.size(), 25'000U);
}

TEST(IonPlan, EveryCutEndsInAnErrorOrAtALine) {
    const std::string text =
        "@ 2026/01/02-04:00:00\na contact +0 +3600 1 2 100000\na range +0 +3600 1 2 1\n";
    for (std::size_t cut = 1; cut < text.size(); ++cut)
        EXPECT_EQ(parse_ion_plan(text.substr(0, cut)).has_value(), text[cut - 1] == '\n') << cut;
}

TEST(IonPlan, NoTextThrows) {
    const std::string valid =
        "a contact +0 +3600 1 2 100000\na range +0 +3600 1 2 1\nd contact +0 1 2\n@ +5\nc "
        "contact\n";
    std::mt19937_64 random(7);
    for (int round = 0; round < 5'000; ++round) {
        std::string mutant = valid;
        for (auto changes = random() % 4 + 1; changes > 0; --changes) {
            const std::size_t at = random() % mutant.size();
            if (random() % 2 == 0)
                mutant[at] = static_cast<char>(random());
            else
                mutant.insert(at, mutant.substr(random() % mutant.size(), 20));
        }
        const auto plan = parse_ion_plan(mutant);
        if (!plan) {
            ASSERT_FALSE(plan.error().empty()) << mutant;
        }
    }
}

}  // namespace
}  // namespace farlink::config::ion_plan_test
