// SPDX-License-Identifier: Apache-2.0
#include "cla/io/rate_limit.hpp"

#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "common/runtime/clock.hpp"
#include "tests/support/link_bench.hpp"

namespace farlink::cla::rate_limit_test {
namespace {

struct Limited {
    explicit Limited(BitRate rate) : limit(bench.io, rate, [this] { ++woken; }) {}

    test::LinkBench bench;
    int woken = 0;
    RateLimit limit;
};

TEST(RateLimit, WithoutARateThereIsRoomOnly) {
    Limited link(BitRate{});
    link.limit.take(1'000'000);
    EXPECT_EQ(link.limit.credit(500), 500U);
    EXPECT_EQ(link.limit.credit(0), 0U);
}

TEST(RateLimit, GivesAMillisecondAtATime) {
    Limited link(BitRate{8'000'000});
    EXPECT_EQ(link.limit.credit(5'000), 1'000U);
    EXPECT_EQ(link.limit.credit(400), 400U);
}

TEST(RateLimit, WakesWhoeverWasTold0) {
    Limited link(BitRate{8'000'000});
    link.limit.take(3'000);
    EXPECT_EQ(link.limit.credit(5'000), 0U);
    link.limit.take(1'000);
    ASSERT_TRUE(link.bench.run_until([&] { return link.woken > 0; }));
    EXPECT_GT(link.limit.credit(5'000), 0U);
    EXPECT_EQ(link.woken, 1);
}

TEST(RateLimit, WakesNobodyWhoHasCredit) {
    Limited link(BitRate{8'000'000'000});
    link.limit.take(10);
    link.bench.run_idle();
    EXPECT_EQ(link.woken, 0);
}

TEST(RateLimit, TheSlowerRateCounts) {
    Limited link(BitRate{8'000'000});
    link.limit.set_contact_rate(BitRate{4'000'000});
    EXPECT_EQ(link.limit.credit(5'000), 500U);
    link.limit.set_contact_rate(BitRate{80'000'000});
    ASSERT_TRUE(link.bench.run_until([&] { return link.limit.credit(5'000) == 1'000; }));
    link.limit.set_contact_rate(BitRate{});
    EXPECT_EQ(link.limit.credit(5'000), 1'000U);
}

TEST(RateLimit, AFasterRateWakesWhoWaitsForTheOld) {
    Limited link(BitRate{});
    link.limit.set_contact_rate(BitRate{8});
    link.limit.take(60'000);
    link.limit.set_contact_rate(BitRate{});
    EXPECT_TRUE(link.bench.run_until([&] { return link.woken == 1; }));
}

// Its timer has run out, and its handler waits behind the one that ends it.
TEST(RateLimit, MayEndBeforeItsTimerIsHeard) {
    test::LinkBench bench;
    int woken = 0;
    auto limit = std::make_unique<RateLimit>(bench.io, BitRate{8'000'000}, [&] { ++woken; });
    boost::asio::steady_timer end(bench.io, Duration::zero());
    end.async_wait([&](const boost::system::error_code &) { limit.reset(); });
    limit->take(3'000);
    for (const TimePoint due = monotonic_now() + milliseconds(5); monotonic_now() < due;) {
    }
    bench.run_idle();
    EXPECT_EQ(woken, 0);
}

}  // namespace
}  // namespace farlink::cla::rate_limit_test
