// SPDX-License-Identifier: Apache-2.0
#include "apps/traffic/stop_signal.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace farlink::traffic {
namespace {

TEST(StopSignal, AsksForAStopOnceAndThenLetsGo) {
    EXPECT_FALSE(stop_requested());
    install_stop_signal();
    std::raise(SIGTERM);
    EXPECT_TRUE(stop_requested());
    struct sigaction now{};
    ASSERT_EQ(::sigaction(SIGTERM, nullptr, &now), 0);
    EXPECT_EQ(now.sa_handler, SIG_DFL) << "a second signal ends the tool";
}

}  // namespace
}  // namespace farlink::traffic
