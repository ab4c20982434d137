// SPDX-License-Identifier: Apache-2.0
// Contact time of a peer: it stops while the contact is closed.
// Owned by the peer; one thread.
// All timers of a peer run in it, so suspending and resuming them (RFC 5326 sections 6.5 and 6.6)
// costs nothing, however many there are.
#pragma once

#include "common/base/time.hpp"

namespace farlink::cla::ltp {

class ContactClock {
public:
    void open(TimePoint now) {
        if (open_) return;
        lag_ = now - stopped_;
        open_ = true;
    }
    void close(TimePoint now) {
        if (!open_) return;
        stopped_ = at(now);
        open_ = false;
    }
    [[nodiscard]] bool is_open() const { return open_; }
    [[nodiscard]] TimePoint at(TimePoint now) const { return open_ ? now - lag_ : stopped_; }
    /// When the contact clock will show `contact_time`, if the contact stays open.
    [[nodiscard]] TimePoint real(TimePoint contact_time) const {
        return contact_time == kNever || !open_ ? kNever : contact_time + lag_;
    }

private:
    TimePoint stopped_{};
    Duration lag_{};
    bool open_ = false;
};

}  // namespace farlink::cla::ltp
