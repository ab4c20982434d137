// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/alarms_print.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::alarms_print_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(AlarmsPrint, ActiveOnesHaveTheirAction) {
    const Json reply = Json::parse(R"({"ok": true, "active": [{"id": 3, "name": "plan-ended",
        "severity": "critical", "since": "T1", "text": "it ended", "action": "load one"}],
        "ended": [{"id": 1, "name": "storage-full", "severity": "critical", "since": "T0",
        "ended": "T1", "text": "full", "action": "make room"}]})");
    EXPECT_EQ(alarms_text(reply),
              "critical plan-ended since T1\n  it ended\n  do: load one\n"
              "\nended:\nT0 to T1 storage-full: full\n");
    EXPECT_TRUE(has_critical(reply));
}

TEST(AlarmsPrint, NoneAndWarnings) {
    EXPECT_EQ(alarms_text(Json::parse(R"({"ok": true, "active": [], "ended": []})")),
              "no alarm is active\n");
    EXPECT_FALSE(has_critical(Json::parse(R"({"active": []})")));
    EXPECT_FALSE(has_critical(Json::parse(R"({"active": [{"severity": "warning"}]})")));
}

}  // namespace
}  // namespace farlink::ctl::alarms_print_test
