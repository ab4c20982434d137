// SPDX-License-Identifier: Apache-2.0
// A module is silent when it has given no sign for some of the supervisor's seconds.
#include "module/control/core/heartbeat_monitor.hpp"

#include <gtest/gtest.h>

namespace farlink::app {
namespace {

using bus::AgentId;

constexpr AgentId kModule = AgentId::kStorage;
const TimePoint kStart = TimePoint{} + seconds(100);

TEST(LifeSignsTest, AModuleThatGivesSignsIsNotSilent) {
    HeartbeatMonitor signs;
    for (int second = 0; second < 20; ++second)
        EXPECT_FALSE(signs.watch(kModule, kStart + seconds(second)));
    EXPECT_FALSE(signs.silent(kModule));
}

TEST(LifeSignsTest, ASignThatComesLateIsNoSilence) {
    HeartbeatMonitor signs;
    for (int second = 0; second < 21; ++second)
        EXPECT_FALSE(signs.watch(kModule, kStart + seconds(second - second % 3))) << second;
}

TEST(LifeSignsTest, TheBeginAndTheEndOfASilenceAreToldOnce) {
    HeartbeatMonitor signs;
    EXPECT_FALSE(signs.watch(kModule, kStart));
    EXPECT_FALSE(signs.watch(kModule, kStart));
    EXPECT_FALSE(signs.watch(kModule, kStart));
    EXPECT_FALSE(signs.silent(kModule));
    EXPECT_TRUE(signs.watch(kModule, kStart));
    EXPECT_TRUE(signs.silent(kModule));
    for (int second = 0; second < 20; ++second) EXPECT_FALSE(signs.watch(kModule, kStart));
    EXPECT_FALSE(signs.silent(AgentId::kRouter)) << "another one";
    EXPECT_TRUE(signs.watch(kModule, kStart + seconds(24)));
    EXPECT_FALSE(signs.silent(kModule));
}

TEST(LifeSignsTest, AfterAPauseOfTheMachineNobodyIsSilent) {
    HeartbeatMonitor signs;
    EXPECT_FALSE(signs.watch(kModule, kStart));
    EXPECT_FALSE(signs.watch(kModule, kStart)) << "an hour later, before the module's next turn";
    EXPECT_FALSE(signs.watch(kModule, kStart + seconds(3600)));
    EXPECT_FALSE(signs.silent(kModule));
}

TEST(LifeSignsTest, OneThatBeginsAnewHasAllItsTime) {
    HeartbeatMonitor signs;
    for (int second = 0; second < 5; ++second) (void)signs.watch(kModule, kStart);
    EXPECT_TRUE(signs.silent(kModule));
    signs.forget(kModule);
    EXPECT_FALSE(signs.silent(kModule));
    EXPECT_FALSE(signs.watch(kModule, kStart));
}

}  // namespace
}  // namespace farlink::app
