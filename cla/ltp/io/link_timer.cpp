// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/io/link_timer.hpp"

namespace farlink::cla::ltp {

void LinkTimer::wait_until(TimePoint due) {
    timer_.expires_at(due);
    timer_.async_wait(
        [self = shared_from_this(), wait = ++wait_](const boost::system::error_code &error) {
            if (self->closed() || error || wait != self->wait_) return;
            self->on_due_();
        });
}

void LinkTimer::cancel() {
    ++wait_;
    timer_.cancel();
}

void LinkTimer::close() {
    closed_ = true;
    cancel();
}

}  // namespace farlink::cla::ltp
