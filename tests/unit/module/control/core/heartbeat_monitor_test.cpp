// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/heartbeat_monitor.hpp"

#include <gtest/gtest.h>

namespace farlink::control::heartbeat_monitor_test {
namespace {

using bus::AgentId;

constexpr AgentId kModule = AgentId::kStorage;
const TimePoint kStart = TimePoint{} + seconds(100);

TEST(HeartbeatMonitorTest, AModuleWithHeartbeatsIsNotSilent) {
    HeartbeatMonitor monitor;
    for (int second = 0; second < 20; ++second)
        EXPECT_FALSE(monitor.watch(kModule, kStart + seconds(second)));
    EXPECT_FALSE(monitor.silent(kModule));
}

TEST(HeartbeatMonitorTest, ALateHeartbeatIsNoSilence) {
    HeartbeatMonitor monitor;
    for (int second = 0; second < 21; ++second)
        EXPECT_FALSE(monitor.watch(kModule, kStart + seconds(second - second % 3))) << second;
}

TEST(HeartbeatMonitorTest, TheStartAndTheEndOfASilenceAreReportedOnce) {
    HeartbeatMonitor monitor;
    EXPECT_FALSE(monitor.watch(kModule, kStart));
    EXPECT_FALSE(monitor.watch(kModule, kStart));
    EXPECT_FALSE(monitor.watch(kModule, kStart));
    EXPECT_FALSE(monitor.silent(kModule));
    EXPECT_TRUE(monitor.watch(kModule, kStart));
    EXPECT_TRUE(monitor.silent(kModule));
    for (int second = 0; second < 20; ++second) EXPECT_FALSE(monitor.watch(kModule, kStart));
    EXPECT_FALSE(monitor.silent(AgentId::kRouter)) << "another module";
    EXPECT_TRUE(monitor.watch(kModule, kStart + seconds(24)));
    EXPECT_FALSE(monitor.silent(kModule));
}

TEST(HeartbeatMonitorTest, ASilenceHasItsSeconds) {
    HeartbeatMonitor monitor;
    for (int second = 0; second < 3; ++second) (void)monitor.watch(kModule, kStart);
    EXPECT_EQ(monitor.silent_seconds(kModule), 0);
    for (int second = 3; second <= 12; ++second) (void)monitor.watch(kModule, kStart);
    EXPECT_EQ(monitor.silent_seconds(kModule), 12);
    EXPECT_EQ(monitor.silent_seconds(AgentId::kRouter), 0);
    (void)monitor.watch(kModule, kStart + seconds(13));
    EXPECT_EQ(monitor.silent_seconds(kModule), 0);
}

TEST(HeartbeatMonitorTest, AfterAPauseOfTheMachineNoModuleIsSilent) {
    HeartbeatMonitor monitor;
    EXPECT_FALSE(monitor.watch(kModule, kStart));
    EXPECT_FALSE(monitor.watch(kModule, kStart)) << "an hour later, before the module's next turn";
    EXPECT_FALSE(monitor.watch(kModule, kStart + seconds(3600)));
    EXPECT_FALSE(monitor.silent(kModule));
}

TEST(HeartbeatMonitorTest, AModuleThatRestartsIsNotSilent) {
    HeartbeatMonitor monitor;
    for (int second = 0; second < 5; ++second) (void)monitor.watch(kModule, kStart);
    EXPECT_TRUE(monitor.silent(kModule));
    monitor.forget(kModule);
    EXPECT_FALSE(monitor.silent(kModule));
    EXPECT_FALSE(monitor.watch(kModule, kStart));
}

}  // namespace
}  // namespace farlink::control::heartbeat_monitor_test
