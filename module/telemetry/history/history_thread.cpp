// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/history/history_thread.hpp"

#include <system_error>
#include <utility>

namespace farlink::telemetry {

HistoryThread::~HistoryThread() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
}

bool HistoryThread::add(Work work) {
    {
        const std::scoped_lock lock(mutex_);
        if (waiting_.size() >= kMostWaiting) return false;
        waiting_.push_back(std::move(work));
    }
    added_.notify_one();
    if (thread_.joinable()) return true;
    try {
        thread_ = std::jthread([this](const std::stop_token &stop) { serve(stop); });
    } catch (const std::system_error &) {  // no thread now: a later call tries again
        const std::scoped_lock lock(mutex_);
        waiting_.pop_back();
        return false;
    }
    return true;
}

void HistoryThread::serve(const std::stop_token &stop) {
    for (;;) {
        Work work;
        {
            std::unique_lock lock(mutex_);
            added_.wait(lock, stop, [this] { return !waiting_.empty(); });
            if (waiting_.empty()) return;
            work = std::move(waiting_.front());
            waiting_.pop_front();
        }
        work();
    }
}

}  // namespace farlink::telemetry
