// SPDX-License-Identifier: Apache-2.0
// A timer of a transaction that stands still while the transaction is suspended.
// Owned by a sender or a receiver; one thread.
// It has no clock: the time is an argument.
#pragma once

#include "common/base/time.hpp"

namespace farlink::cfdp {

class Deadline {
public:
    void start(Duration after, TimePoint now) { at_ = now + after; }
    void stop() { at_ = kNever; }
    [[nodiscard]] bool running() const { return at_ != kNever; }
    [[nodiscard]] bool due(TimePoint now) const { return at_ <= now; }
    [[nodiscard]] TimePoint at() const { return at_; }

    void suspend(TimePoint now) {
        if (running()) left_ = at_ - now;
        was_running_ = running();
        at_ = kNever;
    }
    void resume(TimePoint now) {
        if (was_running_) at_ = now + left_;
        was_running_ = false;
    }

private:
    TimePoint at_ = kNever;
    Duration left_{};
    bool was_running_ = false;
};

}  // namespace farlink::cfdp
