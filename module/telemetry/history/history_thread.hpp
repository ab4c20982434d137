// SPDX-License-Identifier: Apache-2.0
// The thread on which the history is written and read, so that no disk holds up telemetry.
// Owned by NodeHistory; add() on telemetry's thread.
// Its end runs the work that waits.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace farlink::telemetry {

class HistoryThread {
public:
    using Work = std::move_only_function<void()>;

    static constexpr std::size_t kMostWaiting = 32;

    HistoryThread() = default;
    ~HistoryThread();
    HistoryThread(const HistoryThread &) = delete;
    HistoryThread &operator=(const HistoryThread &) = delete;

    /// One work runs at a time, in their order. False: too many wait, and it does not run.
    [[nodiscard]] bool add(Work work);

private:
    void serve(const std::stop_token &stop);

    std::mutex mutex_;
    std::condition_variable_any added_;
    std::deque<Work> waiting_;  ///< guarded by mutex_
    std::jthread thread_;       ///< starts with the first work
};

}  // namespace farlink::telemetry
