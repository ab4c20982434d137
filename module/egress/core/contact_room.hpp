// SPDX-License-Identifier: Apache-2.0
// What still fits into the open contact of a link: a bundle that could not finish is not begun.
// Owned by EgressCore, one for each link; one thread.
// The rate of a contact counts octets of bundles on every layer, so it tells how long one takes; a
// link that is limited to less takes longer. Where a session ends with the contact, the answer has
// to come before, too.
#pragma once

#include <algorithm>
#include <set>

#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink::egress {

class ContactRoom {
public:
    /// Another end, or another rate, may have room for what had none.
    void set_end(TimePoint end) {
        if (end_ == end) return;
        end_ = end;
        too_late_.clear();
    }
    void set_rate(BitRate rate) {
        rate_ = rate;
        too_late_.clear();
    }
    /// The link's own limit; 0: none.
    void set_limit(BitRate limit) { limit_ = limit; }
    /// From the last octet of a bundle to the answer, if that must come before the end.
    void set_answer_time(Duration time) {
        answer_time_ = time;
        too_late_.clear();
    }
    /// A connection begins; nothing is on it.
    void handle_connected() { busy_until_ = {}; }

    /// True when the bundle can be sent before the contact ends; then the link is busy with it.
    /// Nothing overtakes a bundle of its flow that is too late.
    [[nodiscard]] bool admit(std::uint64_t flow, std::uint64_t bytes, TimePoint now) {
        if (end_ == kNever) return true;
        const TimePoint begin = std::max(busy_until_, now);
        const bool fits = begin < end_ && !too_late_.contains(flow) &&
                          seconds_for(bytes) <= in_seconds(end_ - begin - answer_time_);
        if (!fits) {
            too_late_.insert(flow);
            return false;
        }
        busy_until_ = begin + nanoseconds(static_cast<std::int64_t>(seconds_for(bytes) * 1e9));
        return true;
    }

private:
    static double in_seconds(Duration time) { return static_cast<double>(time.count()) * 1e-9; }
    [[nodiscard]] double seconds_for(std::uint64_t bytes) const {
        const BitRate rate =
            limit_.value() > 0 && (rate_.value() == 0 || limit_ < rate_) ? limit_ : rate_;
        if (rate.value() == 0) return 0;
        return static_cast<double>(bytes) * 8 / static_cast<double>(rate.value());
    }

    TimePoint end_ = kNever;
    BitRate rate_;
    BitRate limit_;
    Duration answer_time_{};
    TimePoint busy_until_{};
    std::set<std::uint64_t> too_late_;  ///< flows, until the next contact
};

}  // namespace farlink::egress
