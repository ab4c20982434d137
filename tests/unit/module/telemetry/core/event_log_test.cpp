// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/event_log.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry {
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

}  // namespace
}  // namespace farlink::telemetry
