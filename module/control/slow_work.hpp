// SPDX-License-Identifier: Apache-2.0
// A WorkQueue with a thread of its own beside the loop.
// Owned by the control agent; called on its loop.
// Its end drops what waits, asks the running work to stop, and waits for it.
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

#include "module/control/core/work_queue.hpp"

namespace farlink::control {

class SlowWork final : public WorkQueue {
public:
    /// Of all work that waits.
    static constexpr std::size_t kMostWaiting = 64;
    static constexpr std::size_t kMostWaitingBytes = 32UL * 1024 * 1024;

    /// `on_done` runs on the loop after each `then`.
    explicit SlowWork(
        boost::asio::io_context &io, std::function<void()> on_done = [] {})
        : io_(io), on_done_(std::move(on_done)) {}
    ~SlowWork() override;
    SlowWork(const SlowWork &) = delete;
    SlowWork &operator=(const SlowWork &) = delete;

    [[nodiscard]] bool add(Work work, Then then, std::size_t bytes = 0) override;

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
    std::function<void()> on_done_;
    std::deque<Item> waiting_;
    std::size_t waiting_bytes_ = 0;
    Then then_;  ///< of the running work
    /// Keeps the loop running while work runs.
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> runs_;
    std::mutex mutex_;
    std::condition_variable_any handed_over_;
    Work work_;            ///< guarded by mutex_
    std::jthread thread_;  ///< starts with the first work
};

}  // namespace farlink::control
