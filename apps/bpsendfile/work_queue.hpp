// SPDX-License-Identifier: Apache-2.0
// What threads hand to one another, in order, at most so much of it.
// Shared by those threads, which end before it.
// Any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace farlink::bpsendfile {

template <class Value>
class WorkQueue {
public:
    explicit WorkQueue(std::size_t most) : most_(most) {}

    /// Waits for room. False: the queue is closed.
    bool push(Value value) {
        std::unique_lock hold(mutex_);
        changed_.wait(hold, [this] { return closed_ || values_.size() < most_; });
        if (closed_) return false;
        values_.push_back(std::move(value));
        changed_.notify_all();
        return true;
    }
    /// Waits for a value. None: the queue is closed and empty.
    [[nodiscard]] std::optional<Value> pop() {
        std::unique_lock hold(mutex_);
        changed_.wait(hold, [this] { return closed_ || !values_.empty(); });
        return take();
    }
    /// None: nothing has come in this time.
    template <class Duration>
    [[nodiscard]] std::optional<Value> pop_within(Duration time) {
        std::unique_lock hold(mutex_);
        changed_.wait_for(hold, time, [this] { return closed_ || !values_.empty(); });
        return take();
    }
    /// None: there is nothing now.
    [[nodiscard]] std::optional<Value> try_pop() {
        const std::lock_guard hold(mutex_);
        return take();
    }
    /// Nothing more comes.
    void close() {
        const std::lock_guard hold(mutex_);
        closed_ = true;
        changed_.notify_all();
    }
    /// Nothing more comes, and what is here is dropped.
    void abandon() {
        const std::lock_guard hold(mutex_);
        closed_ = true;
        values_.clear();
        changed_.notify_all();
    }

private:
    [[nodiscard]] std::optional<Value> take() {
        if (values_.empty()) return std::nullopt;
        std::optional<Value> value(std::move(values_.front()));
        values_.pop_front();
        changed_.notify_all();
        return value;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Value> values_;
    std::size_t most_;
    bool closed_ = false;
};

}  // namespace farlink::bpsendfile
