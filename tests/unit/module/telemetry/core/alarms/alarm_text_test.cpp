// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/alarm_text.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::alarm_text_test {
namespace {

Condition full_disk() {
    return {AlarmName::kStorageFull, {.neighbour = NodeNumber{20}, .disk = 1}, "full", "make room"};
}

TEST(AlarmText, AnAlarmHasWhatApplies) {
    AlarmBook book{{}};
    (void)book.look({full_disk()}, 0, TimePoint{});
    (void)book.look({full_disk()}, 0, TimePoint{seconds(1)});
    const Json active = active_alarms(book);
    EXPECT_EQ(active, Json::parse(R"({"1": {"id": 1, "name": "storage-full",
        "severity": "critical", "since": "2000-01-01T00:00:00.000Z", "text": "full",
        "action": "make room", "neighbour": 20, "disk": 1}})"));
    const Json all = alarms_json(book);
    EXPECT_EQ(all["active"][0], active["1"]);
    EXPECT_EQ(all["ended"], Json::array());
    (void)book.look({}, 30'000, TimePoint{seconds(30)});
    (void)book.look({}, 60'000, TimePoint{seconds(60)});
    const Json later = alarms_json(book);
    EXPECT_EQ(later["active"], Json::array());
    EXPECT_EQ(later["ended"][0]["ended"], "2000-01-01T00:01:00.000Z");
}

TEST(AlarmText, TheListHasCriticalOnesFirst) {
    const Condition stopped{AlarmName::kHistoryStopped, {}, "no history", "free space"};
    AlarmBook book{{}};
    (void)book.look({stopped}, 0, TimePoint{});
    (void)book.look({stopped, full_disk()}, 0, TimePoint{seconds(1)});
    (void)book.look({stopped, full_disk()}, 0, TimePoint{seconds(2)});
    const Json active = alarms_json(book)["active"];
    ASSERT_EQ(active.size(), 2U);
    EXPECT_EQ(active[0]["name"], "storage-full");
    EXPECT_EQ(active[1]["name"], "history-stopped");
    EXPECT_EQ(alarm_counts(book), Json::parse(R"({"critical": 1, "warning": 1})"));
}

TEST(AlarmText, MetricsHaveEveryName) {
    AlarmBook book{{}};
    (void)book.look({full_disk()}, 0, TimePoint{});
    (void)book.look({full_disk()}, 0, TimePoint{seconds(1)});
    const std::string text = alarm_metrics(book, {}, {.webhook = {.done = 2, .dropped = 1}});
    const auto has = [&](const char *line) { return text.find(line) != std::string::npos; };
    EXPECT_TRUE(has(R"(farlink_alarm_active{name="storage-full",severity="critical"} 1)")) << text;
    EXPECT_TRUE(has(R"(farlink_alarms_raised_total{name="storage-full"} 1)"));
    EXPECT_TRUE(has(R"(farlink_alarm_hook_calls_total{hook="webhook",result="dropped"} 1)"));
    for (const std::string_view name : config::kAlarmNames)
        EXPECT_TRUE(has(("farlink_alarm_active{name=\"" + std::string(name) + '"').c_str()));
}

}  // namespace
}  // namespace farlink::telemetry::alarm_text_test
