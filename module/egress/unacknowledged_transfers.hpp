// SPDX-License-Identifier: Apache-2.0
// The transfers of one session that its peer has not heard of: when ingress dies in a process of
// its own, nobody else knows them, and the peer would wait for ever. Owned by the EgressAgent, one
// a session that acknowledges; one thread. A transfer is known by its running number in the
// session.
#pragma once

#include <cstdint>
#include <deque>

namespace farlink::egress {

class UnacknowledgedTransfers {
public:
    /// The next `count` transfers have arrived.
    void arrived(std::size_t count) { unacknowledged_.insert(unacknowledged_.end(), count, true); }
    /// These have been settled; what is not known is passed over.
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
    /// Calls `visit` with the number of each that is unsettled, and forgets them.
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
