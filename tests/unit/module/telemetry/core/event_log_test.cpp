// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/event_log.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::event_log_test {
namespace {

TEST(EventLog, GivesThoseBehindANumber) {
    EventLog log;
    EXPECT_TRUE(log.after(0, 10).empty());
    for (int i = 1; i <= 5; ++i)
        log.add({"info", "egress", "link-up", LinkId{3}, "event " + std::to_string(i)}, 1000);
    EXPECT_EQ(log.last(), 5U);
    EXPECT_EQ(log.after(0, 2)[1]["id"], 2);
    EXPECT_EQ(log.after(3, 10).size(), 2U);
    EXPECT_EQ(log.after(3, 10)[0]["text"], "event 4");
    EXPECT_EQ(log.after(3, 10)[0]["link"], 3);
    EXPECT_TRUE(log.after(5, 10).empty());
    EXPECT_TRUE(log.after(~std::uint64_t{0}, 10).empty());
}

TEST(EventLog, KeepsTheLastThousand) {
    EventLog log;
    for (std::size_t i = 0; i < EventLog::kMostEvents + 20; ++i)
        log.add({"info", "router", "route", kNoLink, "x"}, 1000);
    const Json events = log.after(0, EventLog::kMostEvents + 20);
    EXPECT_EQ(events.size(), EventLog::kMostEvents);
    EXPECT_EQ(events.front()["id"], 21);
    EXPECT_FALSE(events.front().contains("link"));
}

TEST(EventLog, ALinkThatFlapsPushesNothingElseOut) {
    EventLog log;
    log.add({"info", "scheduler", "plan-changed", kNoLink, "version 2"}, 0);
    for (int i = 0; i < 30; ++i) log.add({"warning", "telemetry", "alarm", kNoLink, "an alarm"}, 0);
    for (int i = 0; i < 3000; ++i)
        log.add({"info", "scheduler", i % 2 == 0 ? "link-down" : "link-up", LinkId{1}, "flaps"}, 0);
    const Json all = log.after(0, EventLog::kMostEvents + 1);
    ASSERT_EQ(all.size(), EventLog::kMostEvents);
    EXPECT_EQ(all[0]["kind"], "plan-changed");
    EXPECT_EQ(all[1]["id"], 12) << "the last twenty of the alarms";
    EXPECT_EQ(all[20]["kind"], "alarm");
    EXPECT_EQ(all[21]["text"], "flaps");
    const Json last = log.newest(50);
    ASSERT_EQ(last.size(), 50U);
    EXPECT_EQ(last[0]["kind"], "plan-changed");
    EXPECT_EQ(last[1]["kind"], "alarm");
    EXPECT_EQ(last[2]["kind"], "alarm");
    EXPECT_EQ(last[3]["text"], "flaps");
    EXPECT_EQ(last[49]["id"], 3031);
    EXPECT_EQ(log.newest(1)[0]["id"], 3031);
}

TEST(EventLog, ManyKindsAreBounded) {
    EventLog log;
    for (std::size_t i = 0; i < 2000; ++i) {
        const std::string kind = "kind-" + std::to_string(i);
        log.add({"info", "egress", kind, kNoLink, ""}, 0);
    }
    EXPECT_EQ(log.after(0, 5000).size(), EventLog::kMostEvents);
    EXPECT_EQ(log.newest(5000).size(), EventLog::kMostEvents);
}

TEST(EventLog, NumbersContinueAfterARestart) {
    EventLog earlier;
    for (int i = 0; i < 5; ++i) earlier.add({"info", "router", "x", kNoLink, "earlier"}, 1000);
    std::vector<Json> restored = earlier.after(0, 10).get<std::vector<Json>>();
    restored.erase(restored.begin() + 2);  // it was in a damaged place
    EventLog log;
    log.add({"info", "router", "x", kNoLink, "ours"}, 2000);
    log.restore(restored);
    log.add({"info", "router", "x", kNoLink, "later"}, 3000);
    EXPECT_EQ(log.last(), 7U);
    const Json all = log.after(0, 10);
    ASSERT_EQ(all.size(), 6U);
    EXPECT_EQ(all[4]["text"], "ours");
    EXPECT_EQ(all[4]["id"], 6);
    EXPECT_EQ(log.after(2, 10).front()["id"], 4);
    EXPECT_EQ(log.after(5, 1).front()["text"], "ours");
    EventLog other;
    other.restore({});
    EXPECT_EQ(other.last(), 0U);
}

}  // namespace
}  // namespace farlink::telemetry::event_log_test
