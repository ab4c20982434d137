// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_limits.hpp"

namespace farlink::cla {

void SessionLimits::handle_unfinished(TimePoint last_octet, TimePoint now) {
    if (stall_due_ == kNever && limits_.transfer > Duration::zero())
        stall_due_ = last_octet + limits_.transfer;
    if (compact_due_ == kNever) compact_due_ = now + kCompactAfter;
}

bool SessionLimits::idle_passed(bool busy, TimePoint last_octet, TimePoint now) {
    if (busy) last_bundle_ = now;
    const TimePoint due = idle_deadline(last_octet);
    idle_due_ = due > now ? due : kNever;
    return due <= now;
}

// A neighbour may be silent for long; a stranger takes a session that others could use.
TimePoint SessionLimits::idle_deadline(TimePoint last_octet) const {
    TimePoint due = kNever;
    if (limits_.idle > Duration::zero()) due = last_bundle_ + limits_.idle;
    if (stranger_ && limits_.stranger > Duration::zero())
        due = std::min(due, last_octet + limits_.stranger);
    return due;
}

// A bundle that has begun and does not go on holds memory that others need.
bool SessionLimits::transfer_stalled(TimePoint last_octet, TimePoint now) {
    const TimePoint due = last_octet + limits_.transfer;
    stall_due_ = due > now ? due : kNever;
    return due <= now;
}

}  // namespace farlink::cla
