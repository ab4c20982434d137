// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/history/history_thread.hpp"

#include <gtest/gtest.h>

#include <future>

namespace farlink::telemetry::history_thread_test {
namespace {

TEST(HistoryThread, WorkRunsInItsOrderElsewhere) {
    std::vector<int> done;
    std::thread::id where;
    {
        HistoryThread thread;
        for (int i = 0; i < 5; ++i)
            ASSERT_TRUE(thread.add([&, i] {
                done.push_back(i);
                where = std::this_thread::get_id();
            }));
    }
    EXPECT_EQ(done, (std::vector<int>{0, 1, 2, 3, 4}));
    EXPECT_NE(where, std::this_thread::get_id());
}

TEST(HistoryThread, WithTooMuchWaitingWorkIsRefused) {
    std::promise<void> begun;
    std::promise<void> go_on;
    std::size_t done = 0;
    {
        HistoryThread thread;
        ASSERT_TRUE(thread.add([&] {
            begun.set_value();
            go_on.get_future().wait();
        }));
        begun.get_future().wait();
        for (std::size_t i = 0; i < HistoryThread::kMostWaiting; ++i)
            ASSERT_TRUE(thread.add([&] { ++done; }));
        EXPECT_FALSE(thread.add([&] { ++done; }));
        go_on.set_value();
    }
    EXPECT_EQ(done, HistoryThread::kMostWaiting);
}

TEST(HistoryThread, WithoutWorkThereIsNoThread) {
    const HistoryThread thread;
}

}  // namespace
}  // namespace farlink::telemetry::history_thread_test
