// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/io/link_timer.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include "tests/support/link_bench.hpp"

namespace farlink::cla::ltp::link_timer_test {
namespace {

struct LtpLinkTimer : testing::Test {
    LtpLinkTimer() { bench.drive_clock(); }

    test::LinkBench bench;
    int calls = 0;
    Owned<LinkTimer> timer = make_owned<LinkTimer>(bench.io, [this] { ++calls; });
};

TEST_F(LtpLinkTimer, ANewWaitReplacesTheOneBefore) {
    const TimePoint begun = monotonic_now();
    timer->wait_for(milliseconds(10));
    timer->wait_for(milliseconds(50));
    ASSERT_TRUE(bench.run_until([&] { return calls == 1; }));
    EXPECT_GE(monotonic_now(), begun + milliseconds(50));
    for (int slice = 0; slice < 5; ++slice) bench.run_idle();
    EXPECT_EQ(calls, 1);
}

TEST_F(LtpLinkTimer, ACancelledWaitHasNoEffect) {
    timer->wait_for(Duration::zero());
    timer->cancel();
    bench.run_idle();
    EXPECT_EQ(calls, 0);
    timer->wait_for(Duration::zero());
    EXPECT_TRUE(bench.run_until([&] { return calls == 1; }));
}

TEST_F(LtpLinkTimer, CloseSilencesAHandlerThatIsReady) {
    timer->wait_for(Duration::zero());
    bool closed = false;
    // Runs in front of the timer's handler, which is ready then.
    boost::asio::post(bench.io, [&] {
        bench.clock->advance(milliseconds(1));
        timer->abandon();
        closed = true;
    });
    ASSERT_TRUE(bench.run_until([&] { return closed; }));
    const std::weak_ptr<LinkTimer> body = timer.hold();
    bench.run_idle();
    EXPECT_EQ(calls, 0);
    EXPECT_TRUE(timer->closed());
    EXPECT_EQ(body.use_count(), 1) << "no handler holds the body";
}

}  // namespace
}  // namespace farlink::cla::ltp::link_timer_test
