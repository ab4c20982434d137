// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/io/link_timer.hpp"

namespace farlink::cla::ltp {

void LinkTimer::wait_until(TimePoint due) {
    timer_.expires_at(due);
    timer_.async_wait(while_open(
        *this, [wait = ++wait_](LinkTimer &self, const boost::system::error_code &error) {
            if (!error && wait == self.wait_) self.on_due_();
        }));
}

void LinkTimer::cancel() {
    ++wait_;
    timer_.cancel();
}

void LinkTimer::abandon() {
    mark_closed();
    timer_.cancel();
}

}  // namespace farlink::cla::ltp
