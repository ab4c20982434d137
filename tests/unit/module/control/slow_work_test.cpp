// SPDX-License-Identifier: Apache-2.0
#include "module/control/slow_work.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <latch>
#include <string>

namespace farlink::control::slow_work_test {
namespace {

class SlowWorkTest : public testing::Test {
protected:
    void run() {
        io_.restart();
        io_.run();
    }

    boost::asio::io_context io_;
    std::string done_;
};

TEST_F(SlowWorkTest, TheLoopGoesOnMeanwhile) {
    SlowWork work(io_);
    std::latch loop_has_gone_on(1);
    EXPECT_TRUE(work.add([&](const std::stop_token &) { loop_has_gone_on.wait(); },
                         [this](const WallClock &) { done_ += "done"; }));
    boost::asio::post(io_, [&] {
        done_ += "loop ";
        loop_has_gone_on.count_down();
    });
    run();
    EXPECT_EQ(done_, "loop done");
}

// The loop handles the result of each work before the next one starts.
TEST_F(SlowWorkTest, WorkRunsOneAfterTheOther) {
    SlowWork work(io_);
    std::thread::id thread;
    for (const char name : {'a', 'b', 'c'})
        EXPECT_TRUE(work.add(
            [&, name](const std::stop_token &) {
                thread = std::this_thread::get_id();
                done_ += name;
            },
            [this](const WallClock &) { done_ += '.'; }));
    run();
    EXPECT_EQ(done_, "a.b.c.");
    EXPECT_NE(thread, std::this_thread::get_id());
    EXPECT_TRUE(
        work.add([this](const std::stop_token &) { done_ += 'd'; }, [](const WallClock &) {}));
    run();
    EXPECT_EQ(done_, "a.b.c.d");
}

TEST_F(SlowWorkTest, WaitingWorkIsBounded) {
    SlowWork work(io_);
    const auto add = [&](std::size_t bytes) {
        return work.add([](const std::stop_token &) {}, [this](const WallClock &) { done_ += '.'; },
                        bytes);
    };
    EXPECT_TRUE(add(1));  // it is under way
    EXPECT_TRUE(add(SlowWork::kMostWaitingBytes));
    EXPECT_FALSE(add(1));
    run();
    for (std::size_t i = 0; i <= SlowWork::kMostWaiting; ++i) EXPECT_TRUE(add(1)) << i;
    EXPECT_FALSE(add(0));
    run();
    EXPECT_EQ(done_.size(), 3 + SlowWork::kMostWaiting);
}

TEST_F(SlowWorkTest, ItsEndStopsRunningWorkAndDropsTheRest) {
    std::latch begun(1);
    {
        SlowWork work(io_);
        EXPECT_TRUE(work.add(
            [&](const std::stop_token &stop) {
                begun.count_down();
                while (!stop.stop_requested()) std::this_thread::yield();
            },
            [this](const WallClock &) { done_ += "then"; }));
        EXPECT_TRUE(work.add([this](const std::stop_token &) { done_ += "next"; },
                             [](const WallClock &) {}));
        begun.wait();
    }
    EXPECT_EQ(done_, "");
}

}  // namespace
}  // namespace farlink::control::slow_work_test
