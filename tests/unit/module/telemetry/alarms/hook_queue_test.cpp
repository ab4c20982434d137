// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/alarms/hook_queue.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::hook_queue_test {
namespace {

TEST(HookQueue, KeepsAHundredInTheirOrder) {
    HookQueue<int> queue;
    for (int i = 0; i < 105; ++i) queue.add(i);
    EXPECT_EQ(queue.counts().dropped, 5U);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(queue.next(), i);
    EXPECT_EQ(queue.next(), std::nullopt);
    queue.count(true);
    queue.count(false);
    EXPECT_EQ(queue.counts().done, 1U);
    EXPECT_EQ(queue.counts().failed, 1U);
}

TEST(HookLog, WritesTheFirstFailureAndTheEnd) {
    HookLog log("alarms.webhook");
    testing::internal::CaptureStderr();
    log.note("");
    for (int i = 0; i < 5; ++i) log.note("connection refused");
    log.note("");
    log.note("");
    const std::string lines = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2) << lines;
    EXPECT_NE(lines.find("alarms.webhook: call failed: connection refused"), std::string::npos)
        << lines;
    EXPECT_NE(lines.find("calls succeed again"), std::string::npos) << lines;
}

}  // namespace
}  // namespace farlink::telemetry::hook_queue_test
