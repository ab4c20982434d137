// SPDX-License-Identifier: Apache-2.0
#include "common/plan/repeats.hpp"

#include <gtest/gtest.h>

#include <random>

#include "common/plan/write_plan.hpp"

namespace farlink::config::repeats_test {
namespace {

PlanContact contact(DtnTime start, DtnTime end, std::uint64_t repeat, DtnTime until = kDtnNever) {
    PlanContact made{1, NodeNumber{1}, NodeNumber{2}, start, end, {}, {}};
    made.repeat = repeat;
    made.until = until;
    return made;
}

/// By looking at each repeat that starts before `horizon`.
bool meet_by_trial(const PlanContact &one, const PlanContact &other, DtnTime horizon) {
    for (const PlanContact &a : expanded({one}, 0, horizon))
        for (const PlanContact &b : expanded({other}, 0, horizon))
            if (a.start < b.end && b.start < a.end) return true;
    return false;
}

TEST(Repeats, AreCountedByTheirEnds) {
    EXPECT_EQ(repeat_count(contact(10, 20, 0)), 1U);
    EXPECT_EQ(repeat_count(contact(10, 20, 30)), kEndless);
    EXPECT_EQ(repeat_count(contact(10, 20, 30, 20)), 1U);
    EXPECT_EQ(repeat_count(contact(10, 20, 30, 49)), 1U) << "the second one would end at 50";
    EXPECT_EQ(repeat_count(contact(10, 20, 30, 50)), 2U);
    EXPECT_EQ(last_end(contact(10, 20, 30, 79)), 50U);
    EXPECT_EQ(last_end(contact(10, 20, 30)), kDtnNever);
    EXPECT_EQ(last_end(contact(10, 20, 0)), 20U);
}

TEST(Repeats, HaveTheirPlaceInTime) {
    const PlanContact each = contact(10, 20, 30, 80);
    EXPECT_EQ(repeats_ended_at(each, 19), 0U);
    EXPECT_EQ(repeats_ended_at(each, 20), 1U) << "a contact is over at its end";
    EXPECT_EQ(repeats_ended_at(each, 1000), 3U);
    EXPECT_EQ(repeats_started_before(each, 10), 0U);
    EXPECT_EQ(repeats_started_before(each, 41), 2U);
    EXPECT_EQ(repeats_started_before(each, 1000), 3U);
    const PlanContact second = repeat_of(each, 1);
    EXPECT_EQ(second.start, 40U);
    EXPECT_EQ(second.end, 50U);
    EXPECT_EQ(second.id, 1 + kRepeatNumbers);
    EXPECT_FALSE(second.periodic());
    EXPECT_EQ(repeats_started_before(contact(10, 20, 30), kDtnNever - 1),
              (kDtnNever - 12) / 30 + 1);
}

TEST(Repeats, OfAPartOfTimeAreExpanded) {
    const auto made = expanded({contact(10, 20, 30), contact(5, 6, 0)}, 20, 71);
    ASSERT_EQ(made.size(), 3U);
    EXPECT_EQ(made[0].start, 40U);
    EXPECT_EQ(made[1].start, 70U);
    EXPECT_EQ(made[2].start, 5U);
    EXPECT_EQ(expanded({contact(10, 20, 30)}, 0, kDtnNever, 7).size(), 7U);
}

TEST(Repeats, MeetAsATrialSays) {
    std::mt19937_64 random(5);
    const auto some = [&random] {
        const DtnTime start = random() % 60;
        const DtnTime end = start + 1 + random() % 9;
        if (random() % 4 == 0) return contact(start, end, 0);
        const std::uint64_t repeat = end - start + random() % 40;
        return contact(start, end, repeat, random() % 2 == 0 ? kDtnNever : end + random() % 300);
    };
    std::size_t met = 0;
    constexpr int kTrials = 20'000;
    for (int i = 0; i < kTrials; ++i) {
        const PlanContact one = some();
        const PlanContact other = some();
        // All that can happen does before the product of the periods has passed twice.
        const bool expected = meet_by_trial(one, other, 5000);
        met += expected ? 1 : 0;
        ASSERT_EQ(meet(one, other), expected)
            << one.start << ' ' << one.end << ' ' << one.repeat << ' ' << one.until << ", "
            << other.start << ' ' << other.end << ' ' << other.repeat << ' ' << other.until;
        ASSERT_EQ(meet(other, one), expected);
    }
    EXPECT_GT(met, kTrials / 4);
    EXPECT_LT(met, kTrials * 19 / 20);
}

TEST(Repeats, OfTheLongestPeriodsAreComparedAtOnce) {
    constexpr std::uint64_t kMonth = std::uint64_t{31} * 86'400'000;
    EXPECT_TRUE(meet(contact(0, 1, kMonth), contact(1000, 1001, kMonth - 1)))
        << "by one millisecond each month";
    EXPECT_FALSE(meet(contact(0, 1, kMonth), contact(1, 2, kMonth)));
    EXPECT_FALSE(meet(contact(0, 1, kMonth), contact(1000, 1001, kMonth - 1, 900 * kMonth)));
    EXPECT_TRUE(meet(contact(0, 1, kMonth), contact(1000, 1001, kMonth - 1, 1001 * kMonth)));
}

std::string errors_of(const std::string &contacts) {
    const auto plan = parse_contact_plan(R"({"contacts":[)" + contacts + "]}");
    return plan ? std::string() : plan.error().to_string();
}

std::string row(const char *number, const std::string &rest) {
    return std::string(R"({"contact":)") + number + R"(,"source":1,"dest":2,)" + rest + '}';
}

TEST(PeriodicPlan, IsReadAndWritten) {
    const auto plan = parse_contact_plan(
        R"({"contacts":[)" +
        row("7", R"("startTime":0,"endTime":30,"repeatSeconds":60,"until":86400)") + ',' +
        row("8", R"("startTime":30.5,"endTime":31,"repeatSeconds":60)") + "]}");
    ASSERT_TRUE(plan) << plan.error().to_string();
    EXPECT_EQ(plan->contacts[0].repeat, 60'000U);
    EXPECT_EQ(plan->contacts[0].until, 86'400'000U);
    EXPECT_EQ(repeat_count(plan->contacts[0]), 1440U) << "a day of 30 s on and off";
    EXPECT_EQ(plan->contacts[1].until, kDtnNever);
    const std::string text = write_json_plan(*plan);
    const auto again = parse_contact_plan(text);
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(again->contacts, plan->contacts);
    const auto moved = plan->resolve(1000);
    EXPECT_EQ(moved[0].until, 86'401'000U);
    EXPECT_EQ(moved[1].until, kDtnNever);
}

TEST(PeriodicPlan, IsWrittenForIonRepeatByRepeat) {
    const auto plan =
        parse_contact_plan(R"({"contacts":[)" +
                           row("7", R"("startTime":0,"endTime":30,"repeatSeconds":60,"until":180,)"
                                    R"("rateBitsPerSec":8000)") +
                           "]}");
    ASSERT_TRUE(plan);
    const IonText ion = write_ion_plan(*plan);
    EXPECT_TRUE(ion.losses.empty()) << ion.losses.to_string();
    EXPECT_NE(ion.text.find("a contact +120 +150 1 2 1000\n"), std::string::npos) << ion.text;
    ContactPlan endless = *plan;
    endless.contacts[0].until = kDtnNever;
    const IonText part = write_ion_plan(endless);
    EXPECT_EQ(part.losses.errors.size(), 1U);
    EXPECT_NE(part.text.find("a contact +59940 +59970 "), std::string::npos);
    EXPECT_EQ(part.text.find("a contact +60000 "), std::string::npos);
}

TEST(PeriodicPlan, ImpossibleRepeatsAreRefused) {
    const auto wrong = [](const char *members) {
        return errors_of(row("1", std::string(R"("startTime":10,"endTime":20,)") + members));
    };
    EXPECT_EQ(wrong(R"("repeatSeconds":10)"), "");
    EXPECT_NE(wrong(R"("repeatSeconds":9.999)").find("the length of the contact, 10 s"),
              std::string::npos);
    EXPECT_NE(wrong(R"("repeatSeconds":0.5)").find("at least 1 s"), std::string::npos);
    EXPECT_NE(wrong(R"("repeatSeconds":10.0005)").find("whole milliseconds"), std::string::npos);
    EXPECT_NE(wrong(R"("repeatSeconds":2678401)"), "");
    EXPECT_NE(wrong(R"("repeatSeconds":-1)"), "");
    EXPECT_NE(wrong(R"("until":30)").find("without repeatSeconds"), std::string::npos);
    EXPECT_NE(wrong(R"("repeatSeconds":10,"until":19)").find("or later"), std::string::npos);
    EXPECT_NE(wrong(R"("repeatSeconds":10,"until":"2026-01-01T00:00:00Z")").find("one form"),
              std::string::npos);
    EXPECT_NE(errors_of(row("16777216", R"("startTime":1,"endTime":2,"repeatSeconds":10)"))
                  .find("a number below 16777216"),
              std::string::npos);
}

TEST(PeriodicPlan, OverlapsAreFound) {
    const std::string periodic =
        row("1", R"("startTime":0,"endTime":10,"repeatSeconds":100,"until":100000)");
    const auto with = [&](const char *members) {
        return errors_of(periodic + ',' + row("2", members));
    };
    EXPECT_EQ(with(R"("startTime":50,"endTime":60)"), "");
    EXPECT_EQ(with(R"("startTime":50,"endTime":60,"repeatSeconds":100)"), "");
    EXPECT_NE(with(R"("startTime":550,"endTime":601)").find("every 100 s"), std::string::npos);
    EXPECT_EQ(with(R"("startTime":100005,"endTime":100009)"), "") << "behind the last repeat";
    EXPECT_NE(with(R"("startTime":50,"endTime":51,"repeatSeconds":101)"), "");
}

TEST(PeriodicPlan, IsBoundedByItsRepeatsInAnHour) {
    std::string contacts;
    for (int i = 0; i < 30; ++i)
        contacts +=
            (i > 0 ? "," : "") +
            (R"({"contact":)" + std::to_string(i) + R"(,"source":)" + std::to_string(i + 1) +
             R"(,"dest":99,"startTime":0,"endTime":1,)" + R"("repeatSeconds":1})");
    EXPECT_NE(errors_of(contacts).find("repeats in an hour"), std::string::npos);
}

}  // namespace
}  // namespace farlink::config::repeats_test
