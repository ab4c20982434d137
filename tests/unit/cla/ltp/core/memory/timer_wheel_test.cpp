// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/memory/timer_wheel.hpp"

#include <gtest/gtest.h>

#include <map>

#include "common/base/random.hpp"

namespace farlink::cla::ltp::timer_wheel_test {
namespace {

TimePoint at_ms(std::int64_t ms) {
    return TimePoint(milliseconds(ms));
}

TEST(LtpTimerWheel, FiresWhenDueAndNeverEarly) {
    TimerNodes nodes;
    nodes.reserve(2);
    TimerWheel wheel(at_ms(0));
    EXPECT_EQ(wheel.next(), kNever);
    wheel.arm(nodes, 0, at_ms(70) + nanoseconds(1));
    std::vector<std::uint32_t> fired;
    const auto note = [&fired](std::uint32_t timer) { fired.push_back(timer); };
    wheel.advance(nodes, at_ms(70), note);
    EXPECT_TRUE(fired.empty());
    EXPECT_EQ(wheel.next(), at_ms(71));
    wheel.advance(nodes, at_ms(71), note);
    EXPECT_EQ(fired.size(), 1U);
    EXPECT_EQ(wheel.next(), kNever);
    wheel.arm(nodes, 1, at_ms(100));
    wheel.disarm(nodes, 1);
    wheel.advance(nodes, at_ms(1000), note);
    EXPECT_EQ(fired.size(), 1U);
}

TEST(LtpTimerWheel, AgreesWithAMapOverAllDistances) {
    constexpr std::uint32_t kTimers = 50;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        TimerNodes nodes;
        nodes.reserve(kTimers);
        std::int64_t now = static_cast<std::int64_t>(random.below(1U << 30U));
        TimerWheel wheel(at_ms(now));
        std::map<std::uint32_t, std::int64_t> armed;
        for (int step = 0; step < 200; ++step) {
            const auto timer = static_cast<std::uint32_t>(random.below(kTimers));
            if (random.chance(1, 5)) {
                wheel.disarm(nodes, timer);
                armed.erase(timer);
            } else {
                const std::int64_t due =
                    now + 1 + static_cast<std::int64_t>(random.next() >> (34 + random.below(30)));
                wheel.arm(nodes, timer, at_ms(due));
                armed[timer] = due;
            }
            now += static_cast<std::int64_t>(random.next() >> (40 + random.below(24)));
            ASSERT_TRUE(wheel.next() == kNever ? armed.empty() : !armed.empty());
            std::int64_t last = 0;
            wheel.advance(nodes, at_ms(now), [&](std::uint32_t fired) {
                ASSERT_TRUE(armed.contains(fired)) << "seed " << seed;
                ASSERT_LE(armed[fired], now) << "seed " << seed;
                ASSERT_GE(armed[fired], last) << "in order, seed " << seed;
                last = armed[fired];
                armed.erase(fired);
            });
            for (const auto &[waiting, due] : armed) ASSERT_GT(due, now) << "seed " << seed;
            for (const auto &[waiting, due] : armed) ASSERT_LE(wheel.next(), at_ms(due));
        }
    }
}

TEST(LtpTimerWheel, ATimerMayBeSetAgainWhileItFires) {
    TimerNodes nodes;
    nodes.reserve(1);
    TimerWheel wheel(at_ms(0));
    wheel.arm(nodes, 0, at_ms(1));
    int fired = 0;
    wheel.advance(nodes, at_ms(10), [&](std::uint32_t timer) {
        ++fired;
        wheel.arm(nodes, timer, at_ms(0));
    });
    EXPECT_EQ(fired, 10);
}

}  // namespace
}  // namespace farlink::cla::ltp::timer_wheel_test
