// SPDX-License-Identifier: Apache-2.0
// The unacknowledged transfers of one session, by their numbers: when the process of ingress ends,
// egress refuses them, as their senders would wait without end.
// Owned by OutductUpstreams, one for each session that acknowledges; one thread.
#pragma once

#include <cstdint>
#include <deque>

namespace farlink::egress {

class UnacknowledgedTransfers {
public:
    /// The next `count` transfers have arrived.
    void arrived(std::size_t count) { unacknowledged_.insert(unacknowledged_.end(), count, true); }
    /// These are acknowledged; unknown numbers are ignored.
    void acknowledged(std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t number = first; number < first + count; ++number)
            if (number >= first_ && number - first_ < unacknowledged_.size())
                unacknowledged_[number - first_] = false;
        while (!unacknowledged_.empty() && !unacknowledged_.front()) {
            unacknowledged_.pop_front();
            ++first_;
        }
    }
    /// The number of the transfer that arrives next.
    [[nodiscard]] std::uint64_t next() const { return first_ + unacknowledged_.size(); }
    /// Calls `visit` with the number of each, and removes them.
    template <class Visit>
    void take_all(Visit &&visit) {
        for (std::size_t at = 0; at < unacknowledged_.size(); ++at)
            if (unacknowledged_[at]) visit(first_ + at);
        first_ = next();
        unacknowledged_.clear();
    }

private:
    std::uint64_t first_ = 0;  ///< the number of unacknowledged_.front()
    std::deque<bool> unacknowledged_;
};

}  // namespace farlink::egress
