// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/control_print.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::control_print_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(PlanChangeText, ShowsTheValuesThatChange) {
    const auto contact = [](double owlt) {
        return Json{{"planned", true},
                    {"rateBitsPerSec", 1000},
                    {"owlt", owlt},
                    {"ends", "T9"},
                    {"nextContact", nullptr}};
    };
    const auto way = [](const char *arrival) {
        return Json::array({{{"nextHop", 20}, {"link", 1}, {"arrival", arrival}}});
    };
    const Json reply{
        {"ok", true},
        {"version", 3},
        {"contacts", 4},
        {"added", 0},
        {"changed", 1},
        {"removed", 0},
        {"links",
         {{{"link", 1}, {"neighbour", 20}, {"before", contact(1)}, {"after", contact(2.5)}}}},
        {"routes",
         {{{"destination", 20}, {"before", way("T1")}, {"after", way("T2")}},
          {{"destination", 30}, {"before", Json::array()}, {"after", way("T3")}}}},
        {"warnings", {"contact 7: no outduct leads to node 50"}}};
    EXPECT_EQ(
        plan_change_text(reply),
        "version 3: 4 contacts; 0 added, 1 changed, 0 removed\n"
        "link 1 to node 20: open until T9 at 1000, one-way light time 1.0 s -> open until T9 at "
        "1000, one-way light time 2.5 s\n"
        "routes to node 20: 20 by link 1, arrival T1 -> 20 by link 1, arrival T2\n"
        "routes to node 30: none -> 20 by link 1, arrival T3\n"
        "warning: contact 7: no outduct leads to node 50\n");
}

TEST(RefusalText, ShowsEachErrorOnce) {
    const Json missing{{"path", "myNodeId"}, {"problem", "missing"}, {"expected", ""}};
    const Json unknown{{"path", "mine"}, {"problem", "unknown key"}, {"hint", "delete it"}};
    const Json reply{{"ok", false},
                     {"error", "node.json: no change was applied: myNodeId: missing"},
                     {"errors", {missing, unknown}}};
    EXPECT_EQ(refusal_text(reply),
              "farlinkctl: node.json: no change was applied: myNodeId: missing\n"
              "mine: unknown key; delete it\n");
    EXPECT_EQ(refusal_text({{"error", "plan refused"}, {"errors", {missing}}}),
              "farlinkctl: plan refused\nmyNodeId: missing\n");
}

TEST(AlarmCountsLine, NamesWhatIsActive) {
    const auto line = [](int critical, int warning) {
        return alarm_counts_line({{"alarms", {{"critical", critical}, {"warning", warning}}}});
    };
    EXPECT_EQ(line(2, 1), "alarms: 2 critical, 1 warning: farlinkctl alarms");
    EXPECT_EQ(line(0, 3), "alarms: 3 warnings: farlinkctl alarms");
    EXPECT_EQ(line(1, 0), "alarms: 1 critical: farlinkctl alarms");
    EXPECT_EQ(line(0, 0), "");
    EXPECT_EQ(alarm_counts_line(Json::object()), "") << "telemetry does not reply";
}

TEST(PrintReply, TheRemedyIsNamedWhileAnAlarmIsActive) {
    const auto printed = [](int critical) {
        testing::internal::CaptureStdout();
        print_reply("status", {{"degraded", "storage full"},
                               {"alarms", {{"critical", critical}, {"warning", 0}}}});
        return testing::internal::GetCapturedStdout();
    };
    EXPECT_NE(printed(1).find("degraded: storage full; see the remedy: farlinkctl alarms\n"
                              "alarms: 1 critical: farlinkctl alarms\n"),
              std::string::npos);
    EXPECT_NE(printed(0).find("degraded: storage full\n"), std::string::npos) << printed(0);
    EXPECT_EQ(printed(0).find("farlinkctl alarms"), std::string::npos);
}

TEST(PlanChangeText, SaysThatNothingChanges) {
    EXPECT_EQ(plan_change_text({{"nothingChanges", true}, {"version", 3}, {"contacts", 4}}),
              "nothing changes: version 3, 4 contacts\n");
}

}  // namespace
}  // namespace farlink::ctl::control_print_test
