// SPDX-License-Identifier: Apache-2.0
// What takes longer than the supervisor's loop may stand still, done by a thread beside it.
// Owned by the supervisor; called on its loop. One work at a time, in their order; what comes of
// it is taken on the loop before the next one begins.
// At its end it drops what waits, asks the work that runs to end, and waits for that.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace farlink::app {

class SlowWork {
public:
    /// What waits, all together.
    static constexpr std::size_t kMostWaiting = 64;
    static constexpr std::size_t kMostWaitingBytes = 32UL * 1024 * 1024;

    /// In the thread, which also destroys it. It ends early when it is told to stop.
    using Work = std::move_only_function<void(const std::stop_token &)>;
    /// On the loop.
    using Then = std::move_only_function<void()>;

    explicit SlowWork(boost::asio::io_context &io) : io_(io) {}
    ~SlowWork();
    SlowWork(const SlowWork &) = delete;
    SlowWork &operator=(const SlowWork &) = delete;

    /// `bytes`: what the work keeps in memory while it waits. False: too much waits already, and
    /// neither is called.
    [[nodiscard]] bool add(Work work, Then then, std::size_t bytes = 0);

private:
    struct Item {
        Work work;
        Then then;
        std::size_t bytes;
    };

    void begin_next();
    void finish();
    void serve(const std::stop_token &stop);

    boost::asio::io_context &io_;
    std::deque<Item> waiting_;
    std::size_t waiting_bytes_ = 0;
    Then then_;  ///< of the work that runs
    /// The loop has something to wait for.
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> runs_;
    std::mutex mutex_;
    std::condition_variable_any handed_over_;
    Work work_;            ///< guarded by mutex_
    std::jthread thread_;  ///< from the first work on
};

}  // namespace farlink::app
