// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/stop_signals.hpp"

#include <gtest/gtest.h>

namespace farlink::ctl::stop_signals_test {
namespace {

bool is_blocked(int signal) {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return ::sigismember(&mask, signal) == 1;
}

TEST(StopSignals, TheFirstOneAsksForTheEnd) {
    for (const int signal : {SIGINT, SIGTERM}) {
        StopSignals stop;
        EXPECT_FALSE(stop.asked());
        EXPECT_TRUE(is_blocked(signal));
        std::raise(signal);
        EXPECT_TRUE(stop.asked());
        EXPECT_TRUE(stop.asked());
        EXPECT_FALSE(is_blocked(signal)) << "a second one ends the program";
    }
}

TEST(StopSignals, TheirUsualEffectComesBack) {
    {
        const StopSignals stop;
    }
    EXPECT_FALSE(is_blocked(SIGINT));
}

}  // namespace
}  // namespace farlink::ctl::stop_signals_test
