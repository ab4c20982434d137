// SPDX-License-Identifier: Apache-2.0
// When a peer has left what was sent to it without an answer for too long.
// Owned by one session's core; one thread.
// A time in which this side did not read, not even in part, does not count against the peer: its
// answers may lie unread behind bundles of its own.
#pragma once

#include <utility>

#include "common/base/time.hpp"

namespace farlink::cla::tcpcl {

class AnswerLimit {
public:
    /// `limit`: zero for none.
    explicit AnswerLimit(Duration limit) : limit_(limit) {}

    /// After each input. `awaits`: something sent has no answer; `progress`: a number that stands
    /// still while the peer neither takes nor answers anything.
    void observe(bool awaits, std::uint64_t progress, TimePoint now) {
        const bool moved = std::exchange(progress_, progress) != progress;
        if (!awaits)
            due_ = kNever;
        else if (moved || due_ == kNever)
            restart(now);
    }
    /// The session does not read, or did not for some time since the last progress.
    void handle_read_paused() { read_paused_ = true; }

    [[nodiscard]] TimePoint due() const { return due_; }
    /// Whether the limit has passed. `reads`: the session reads now.
    [[nodiscard]] bool passed(bool reads, TimePoint now) {
        if (now < due_) return false;
        if (reads && !read_paused_) return true;
        restart(now);
        read_paused_ = !reads;
        return false;
    }

private:
    void restart(TimePoint now) {
        due_ = limit_ > Duration::zero() ? now + limit_ : kNever;
        read_paused_ = false;
    }

    Duration limit_;
    TimePoint due_ = kNever;
    std::uint64_t progress_ = 0;
    bool read_paused_ = false;
};

}  // namespace farlink::cla::tcpcl
