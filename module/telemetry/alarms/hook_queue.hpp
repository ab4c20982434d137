// SPDX-License-Identifier: Apache-2.0
// What waits for a hook, bounded, and what became of its calls.
// Owned by a hook; one thread.
// Its failures are in the log once, until a call succeeds.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "common/runtime/log/log.hpp"
#include "module/telemetry/core/alarms/alarm_text.hpp"

namespace farlink::telemetry {

template <class Call>
class HookQueue {
public:
    static constexpr std::size_t kMostWaiting = 100;

    void add(Call call) {
        if (waiting_.size() >= kMostWaiting)
            ++counts_.dropped;
        else
            waiting_.push_back(std::move(call));
    }
    [[nodiscard]] std::optional<Call> next() {
        if (waiting_.empty()) return std::nullopt;
        Call first = std::move(waiting_.front());
        waiting_.pop_front();
        return first;
    }
    void count(bool done) { ++(done ? counts_.done : counts_.failed); }
    [[nodiscard]] const HookCounts &counts() const { return counts_; }

private:
    std::deque<Call> waiting_;
    HookCounts counts_;
};

class HookLog {
public:
    /// `what`: the key of the configuration.
    explicit HookLog(std::string what) : what_(std::move(what)) {}

    /// `error` is empty after a success.
    void note(const std::string &error) {
        if (error.empty() == !failing_) return;
        failing_ = !error.empty();
        if (failing_)
            log_.warn("{}: call failed: {}; further failures are counted and not logged", what_,
                      error);
        else
            log_.info("{}: calls succeed again", what_);
    }

private:
    std::string what_;
    bool failing_ = false;
    Logger log_{"alarms"};
};

}  // namespace farlink::telemetry
