// SPDX-License-Identifier: Apache-2.0
#include "common/plan/contact_plan.hpp"

#include <gtest/gtest.h>

#include <random>

#include "common/runtime/clock.hpp"

namespace farlink::config::contact_plan_test {
namespace {

constexpr std::string_view kPlan = R"({"contacts": [
    {"contact": 0, "source": 102, "dest": 10, "startTime": 0, "endTime": 2000,
     "rateBitsPerSec": 1000000000, "owlt": 1},
    {"contact": 1, "source": 10, "dest": 102, "startTime": 0.25, "endTime": 12.5, "owlt": 1.28}]})";

std::vector<std::string> errors_of(std::string_view json) {
    const auto plan = parse_contact_plan(json);
    std::vector<std::string> lines;
    if (!plan)
        for (const ConfigError &error : plan.error().errors) lines.push_back(error.to_string());
    return lines;
}

/// A plan of contacts from node 1 to node 2, one for each "start,end,more members".
std::string plan_of(std::initializer_list<std::string_view> contacts) {
    std::string json = R"({"contacts":[)";
    std::size_t number = 0;
    for (const std::string_view contact : contacts) {
        if (number > 0) json += ',';
        json += R"({"contact":)" + std::to_string(number++) + R"(,"source":1,"dest":2,)" +
                std::string(contact) + '}';
    }
    return json + "]}";
}

TEST(ContactPlan, RelativeTimesInSeconds) {
    const auto plan = parse_contact_plan(kPlan);
    ASSERT_TRUE(plan) << plan.error().to_string();
    EXPECT_FALSE(plan->absolute);
    ASSERT_EQ(plan->contacts.size(), 2U);
    EXPECT_EQ(plan->contacts[0], (PlanContact{0, NodeNumber{102}, NodeNumber{10}, 0, 2'000'000,
                                              BitRate{1'000'000'000}, seconds(1)}));
    EXPECT_EQ(plan->contacts[1], (PlanContact{1, NodeNumber{10}, NodeNumber{102}, 250, 12'500,
                                              BitRate{0}, milliseconds(1280)}));
}

TEST(ContactPlan, ResolveCountsFromThePlansStart) {
    const auto plan = parse_contact_plan(kPlan);
    ASSERT_TRUE(plan);
    const auto resolved = plan->resolve(1'000'000);
    EXPECT_EQ(resolved[0].start, 1'000'000U);
    EXPECT_EQ(resolved[0].end, 3'000'000U);
    EXPECT_EQ(resolved[1].start, 1'000'250U);
}

TEST(ContactPlan, AbsoluteTimesAreDtnTime) {
    const auto plan = parse_contact_plan(
        plan_of({R"("startTime":"2000-01-01T00:00:10Z","endTime":"2000-01-01T00:00:20.5Z")"}));
    ASSERT_TRUE(plan) << plan.error().to_string();
    EXPECT_TRUE(plan->absolute);
    EXPECT_EQ(plan->contacts[0].start, 10'000U);
    EXPECT_EQ(plan->contacts[0].end, 20'500U);
    EXPECT_EQ(plan->resolve(99), plan->contacts);
}

TEST(ContactPlan, AnEmptyPlanIsAPlan) {
    const auto plan = parse_contact_plan(R"({"contacts":[]})");
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->contacts.empty());
}

TEST(ContactPlan, ContactsMayTouch) {
    EXPECT_EQ(errors_of(plan_of({R"("startTime":12,"endTime":24)", R"("startTime":0,"endTime":12)",
                                 R"("startTime":24,"endTime":36,"rateBitsPerSec":5)"})),
              std::vector<std::string>{});
}

struct ErrorCase {
    std::string json;
    std::string message;  ///< the only error
};

TEST(ContactPlan, ExactMessages) {
    const ErrorCase cases[] = {
        {"{}", "contacts: missing; expected a list of objects"},
        {"[]", "found a list; expected an object"},
        {R"({"contact":[],"contacts":[]})", "contact: unknown key; it belongs in contacts[]"},
        {plan_of({R"("startTime":5,"endTime":5)"}),
         "contacts[0].endTime: found 5 s; expected a time after startTime (5 s)"},
        {plan_of({R"("startTime":"2026-01-02T00:00:00Z","endTime":"2026-01-01T00:00:00Z")"}),
         "contacts[0].endTime: found 2026-01-01T00:00:00.000Z; expected a time after startTime "
         "(2026-01-02T00:00:00.000Z)"},
        {plan_of({R"("startTime":0,"endTime":1,"rate":100)"}),
         "contacts[0].rate: unknown key; HDTN's rate counts Mbit/s: write rateBitsPerSec, 1000000 "
         "times the number"},
        {plan_of({R"("startTime":0,"endtime":1,"endTime":1)"}),
         "contacts[0].endtime: unknown key; did you mean \"endTime\"?"},
        {plan_of({R"("startTime":0,"endTime":1700000000)"}),
         "contacts[0].endTime: found 1700000000; expected a number from 0 to 315360000 (seconds), "
         "or a time in UTC such as \"2026-01-02T03:04:05Z\"; Unix seconds are written as a time in "
         "UTC"},
        {plan_of({R"("startTime":-1,"endTime":1)"}),
         "contacts[0].startTime: found -1; expected a number from 0 to 315360000 (seconds), or a "
         "time in UTC such as \"2026-01-02T03:04:05Z\""},
        {plan_of({R"("startTime":"noon","endTime":1)"}),
         "contacts[0].startTime: found \"noon\"; expected a number from 0 to 315360000 (seconds), "
         "or a time in UTC such as \"2026-01-02T03:04:05Z\""},
        {plan_of({R"("startTime":0,"endTime":1,"rateBitsPerSec":10000000000001)"}),
         "contacts[0].rateBitsPerSec: found 10000000000001; expected an integer from 0 to "
         "10000000000000 (bits per second)"},
        {plan_of({R"("startTime":0,"endTime":1,"owlt":-0.5)"}),
         "contacts[0].owlt: found -0.5; expected a number from 0 to 1000000 (seconds)"},
        {plan_of({R"("startTime":0,"endTime":"2026-01-02T03:04:05Z")"}),
         "contacts[0].endTime: found a time in UTC, but contacts[0].startTime is in seconds from "
         "the start; expected one form in the whole plan"},
        {R"({"contacts":[{"contact":0,"source":3,"dest":3,"startTime":0,"endTime":1}]})",
         "contacts[0].dest: found 3, which is the source too; expected another node"},
        {R"({"contacts":[{"contact":7,"source":1,"dest":2,"startTime":0,"endTime":1},
                         {"contact":7,"source":2,"dest":1,"startTime":0,"endTime":1}]})",
         "contacts[1].contact: found 7, the number of contacts[0] too; expected a unique number"},
        {plan_of({R"("startTime":0,"endTime":10)", R"("startTime":9.5,"endTime":20)"}),
         "contacts[1]: contact 1, 9.5 s to 20 s, overlaps contact 0 in contacts[0], 0 s to 10 s, "
         "also from node 1 to node 2; expected one contact at a time from one node to another; the "
         "two agree: make them one contact"},
        {plan_of(
             {R"("startTime":5,"endTime":20,"rateBitsPerSec":7)", R"("startTime":0,"endTime":10)"}),
         "contacts[1]: contact 1, 0 s to 10 s, overlaps contact 0 in contacts[0], 5 s to 20 s, "
         "also from node 1 to node 2; expected one contact at a time from one node to another; "
         "they contradict each other: rateBitsPerSec is 7 there and 0 here"},
        {plan_of({R"("startTime":0,"endTime":10)", R"("startTime":0,"endTime":10,"owlt":1)"}),
         "contacts[1]: contact 1, 0 s to 10 s, overlaps contact 0 in contacts[0], 0 s to 10 s, "
         "also from node 1 to node 2; expected one contact at a time from one node to another; "
         "they contradict each other: owlt differs"},
    };
    for (const ErrorCase &test : cases)
        EXPECT_EQ(errors_of(test.json), std::vector<std::string>{test.message}) << test.json;
}

TEST(ContactPlan, NodesMayBePatternsAndNames) {
    const NodeEndpoints known[] = {{NodeNumber{40}, {"dtn://mars/**"}},
                                   {NodeNumber{41}, {"dtn://venus/base", "dtn://venus/*"}}};
    const auto plan = parse_contact_plan(
        R"({"contacts":[{"contact":0,"source":"ipn:5.*","dest":"dtn://mars/**","startTime":0,
                         "endTime":1},
                        {"contact":1,"source":"dtn://venus/**","dest":"ipn:977000.100.*",
                         "startTime":0,"endTime":1}]})",
        std::nullopt, known);
    ASSERT_TRUE(plan) << plan.error().to_string();
    EXPECT_EQ(plan->contacts[0].source, NodeNumber{5});
    EXPECT_EQ(plan->contacts[0].destination, NodeNumber{40});
    EXPECT_EQ(plan->contacts[1].source, NodeNumber{41});
    EXPECT_EQ(plan->contacts[1].destination, NodeNumber{977000ULL << 32 | 100});
    const auto contact = [](const std::string &dest) {
        return R"({"contacts":[{"contact":0,"source":5,"dest":")" + dest +
               R"(","startTime":0,"endTime":1}]})";
    };
    EXPECT_EQ(errors_of(contact("dtn://mars/**")),
              std::vector<std::string>{
                  "contacts[0].dest: found \"dtn://mars/**\", which names no node; "
                  "expected a name of nodeEndpoints in the node's configuration, or a number"});
    for (const char *wrong : {"6", "ipn:6.1", "ipn:*.1", "ipn:0.*", "dtn://mars/inbox", "dtn:**"})
        EXPECT_EQ(errors_of(contact(wrong)).size(), 1U) << wrong;
}

TEST(ContactPlan, ALongContactHidesNoOverlap) {
    // The second ends before the third begins, but the first goes on.
    const auto errors =
        errors_of(plan_of({R"("startTime":0,"endTime":100)", R"("startTime":10,"endTime":20)",
                           R"("startTime":30,"endTime":40)"}));
    ASSERT_EQ(errors.size(), 2U);
    EXPECT_TRUE(errors[0].starts_with("contacts[1]: contact 1, 10 s to 20 s, overlaps contact 0"));
    EXPECT_TRUE(errors[1].starts_with("contacts[2]: contact 2, 30 s to 40 s, overlaps contact 0"));
}

TEST(ContactPlan, OverlapsAreToldInTheOrderOfTheFile) {
    const auto errors =
        errors_of(plan_of({R"("startTime":50,"endTime":60)", R"("startTime":55,"endTime":70)",
                           R"("startTime":0,"endTime":10)", R"("startTime":5,"endTime":20)"}));
    ASSERT_EQ(errors.size(), 2U);
    EXPECT_TRUE(
        errors[0].starts_with("contacts[1]: contact 1, 55 s to 70 s, overlaps contact 0 in "
                              "contacts[0], 50 s to 60 s,"))
        << errors[0];
    EXPECT_TRUE(
        errors[1].starts_with("contacts[3]: contact 3, 5 s to 20 s, overlaps contact 2 in "
                              "contacts[2], 0 s to 10 s,"))
        << errors[1];
}

TEST(ContactPlan, TimesFinerThanAMillisecondAreRefused) {
    const std::string finer =
        "; a time in a plan has whole milliseconds: finer times would be rounded";
    EXPECT_EQ(errors_of(plan_of({R"("startTime":0.0005,"endTime":1)"})),
              std::vector<std::string>{
                  "contacts[0].startTime: found 0.0005; expected a number from 0 to 315360000 "
                  "(seconds), or a time in UTC such as \"2026-01-02T03:04:05Z\"" +
                  finer});
    for (const char *end : {"1.00049", "315359999.0005", R"("2026-01-02T03:04:05.0001Z")"}) {
        const auto errors = errors_of(plan_of({R"("startTime":0,"endTime":)" + std::string(end)}));
        ASSERT_EQ(errors.size(), 1U) << end;
        EXPECT_TRUE(errors[0].ends_with(finer)) << errors[0];
    }
    // What programs write who add tenths.
    const auto plan =
        parse_contact_plan(plan_of({R"("startTime":0.30000000000000004,"endTime":315359999.999)"}));
    ASSERT_TRUE(plan) << plan.error().to_string();
    EXPECT_EQ(plan->contacts[0].start, 300U);
    EXPECT_EQ(plan->contacts[0].end, 315'359'999'999U);
}

TEST(ContactPlan, EveryErrorInOneGo) {
    const auto errors = errors_of(R"({"contacts":[
        {"contact":-1,"source":0,"dest":2,"startTime":0,"endTime":1},
        {"contact":1,"source":1,"dest":1,"startTime":3,"endTime":2},
        {"contact":1,"source":1,"dest":2,"startTime":true,"endTime":[]},
        {}, null]})");
    EXPECT_EQ(errors.size(), 2U + 2U + 3U + 5U + 1U);
}

TEST(ContactPlan, FilesAreNamedInErrors) {
    const auto plan = load_contact_plan("/nonexistent/plan.json");
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().to_string(),
              "/nonexistent/plan.json: cannot open the file: No such file or directory\n");
}

TEST(ContactPlan, EveryCutOfAValidTextIsAnError) {
    for (std::size_t cut = 0; cut < kPlan.size(); ++cut)
        ASSERT_FALSE(parse_contact_plan(kPlan.substr(0, cut))) << cut;
}

TEST(ContactPlan, NoTextThrows) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 5'000; ++round) {
        std::string mutant(kPlan);
        for (auto changes = random() % 3 + 1; changes > 0; --changes) {
            const std::size_t at = random() % mutant.size();
            if (random() % 2 == 0)
                mutant[at] = static_cast<char>(random());
            else
                mutant.insert(at, mutant.substr(random() % mutant.size(), 20));
        }
        const auto plan = parse_contact_plan(mutant);
        if (!plan) {
            ASSERT_FALSE(plan.error().errors.empty()) << mutant;
        }
    }
}

/// 1,000 nodes in a ring with chords, each pair's contacts touching.
std::string large_plan(std::size_t contacts, std::string_view more = "") {
    std::string json = R"({"contacts":[)";
    for (std::size_t i = 0; i < contacts; ++i) {
        if (i > 0) json += ',';
        const std::size_t node = i % 1000;
        const std::size_t round = i / 1000;
        json += R"({"contact":)" + std::to_string(i) + R"(,"source":)" + std::to_string(node + 1) +
                R"(,"dest":)" + std::to_string((node + 1 + round % 10) % 1000 + 1) +
                R"(,"startTime":)" + std::to_string(round / 10 * 60) + R"(,"endTime":)" +
                std::to_string((round / 10 + 1) * 60) +
                R"(,"rateBitsPerSec":1000000000,"owlt":0.25)" + std::string(more) + '}';
    }
    return json + "]}";
}

TEST(ContactPlan, AThousandNodesAndAHundredThousandContactsAreQuick) {
    const std::string json = large_plan(100'000);
    const TimePoint before = monotonic_now();
    const auto plan = parse_contact_plan(json);
    const Duration took = monotonic_now() - before;
    ASSERT_TRUE(plan) << plan.error().to_string();
    EXPECT_EQ(plan->contacts.size(), 100'000U);
    EXPECT_LT(took, seconds(15));  // 0.3 s without sanitizers on a machine of its own
    RecordProperty("milliseconds", static_cast<int>(took / milliseconds(1)));
}

TEST(ContactPlan, ErrorsAreBoundedAndCounted) {
    const auto plan = parse_contact_plan(large_plan(1'000, R"(,"rate":1)"));
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().errors.size(), kMostErrors);
    EXPECT_EQ(plan.error().omitted, 1'000 - kMostErrors);
    EXPECT_TRUE(plan.error().to_string().ends_with("\nand 900 more like these\n"));
}

TEST(ContactPlan, OverlapsAreBoundedAndQuick) {
    std::string json = R"({"contacts":[)";
    for (int i = 0; i < 20'000; ++i)
        json += (i > 0 ? "," : "") + (R"({"contact":)" + std::to_string(i)) +
                R"(,"source":1,"dest":2,"startTime":0,"endTime":9})";
    const auto plan = parse_contact_plan(json + "]}");
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().errors.size() + plan.error().omitted, 19'999U);
}

TEST(ContactPlan, TooManyContactsAreRefusedBeforeTheyAreRead) {
    std::string json = R"({"contacts":[)";
    for (std::size_t i = 0; i <= kMostContacts; ++i) json += i == 0 ? "0" : ",0";
    const auto plan = parse_contact_plan(json);  // the text has no end: it is not looked for
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().errors[0].to_string(),
              "contacts: too many contacts; expected at most 500000 in a plan; remove past "
              "contacts, and give the node the plan of the next days");
}

TEST(ContactPlan, AnEmptyFileIsNoPlan) {
    EXPECT_EQ(errors_of(" \n"),
              std::vector<std::string>{"the file is empty; expected a contact plan"});
}

TEST(ContactPlan, BothFormsAreRecognised) {
    const auto json = parse_contact_plan(plan_of({R"("startTime":0,"endTime":12,"owlt":3,
        "rateBitsPerSec":800000)"}));
    const auto ion =
        parse_contact_plan("# Moon\na contact +0 +12 1 2 100000\na range +0 +12 1 2 3\n");
    ASSERT_TRUE(json && ion);
    EXPECT_EQ(json->contacts, ion->contacts);
}

}  // namespace
}  // namespace farlink::config::contact_plan_test
