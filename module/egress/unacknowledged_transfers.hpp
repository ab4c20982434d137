// SPDX-License-Identifier: Apache-2.0
// The transfers of one session that its peer has not heard of: when ingress dies in a process of
// its own, nobody else knows them, and the peer would wait for ever. Owned by the EgressAgent, one
// a session that acknowledges; one thread. A transfer is known by its running number in the
// session.
#pragma once

#include <cstdint>
#include <deque>

namespace farlink::egress {

class UnsettledTransfers {
public:
    /// The next `count` transfers have arrived.
    void arrived(std::size_t count) { unsettled_.insert(unsettled_.end(), count, true); }
    /// These have been settled; what is not known is passed over.
    void settled(std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t number = first; number < first + count; ++number)
            if (number >= first_ && number - first_ < unsettled_.size())
                unsettled_[number - first_] = false;
        while (!unsettled_.empty() && !unsettled_.front()) {
            unsettled_.pop_front();
            ++first_;
        }
    }
    /// The number of the transfer that arrives next.
    [[nodiscard]] std::uint64_t next() const { return first_ + unsettled_.size(); }
    /// Calls `visit` with the number of each that is unsettled, and forgets them.
    template <class Visit>
    void take_all(Visit &&visit) {
        for (std::size_t at = 0; at < unsettled_.size(); ++at)
            if (unsettled_[at]) visit(first_ + at);
        first_ = next();
        unsettled_.clear();
    }

private:
    std::uint64_t first_ = 0;  ///< the number of unsettled_.front()
    std::deque<bool> unsettled_;
};

}  // namespace farlink::egress
