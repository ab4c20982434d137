// SPDX-License-Identifier: Apache-2.0
// A timer of an LTP link.
// Owned by the part of the link that it wakes.
// The loop's thread.
#pragma once

#include <functional>

#include "cla/io/link_body.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla::ltp {

class LinkTimer : public LinkBody {
public:
    LinkTimer(boost::asio::io_context &io, std::function<void()> on_due)
        : timer_(io), on_due_(std::move(on_due)) {}

    /// Replaces the wait before it.
    void wait_until(TimePoint due);
    void wait_for(Duration time) { wait_until(monotonic_now() + time); }
    void cancel();
    void abandon();

private:
    MonotonicTimer timer_;
    std::function<void()> on_due_;
    std::uint64_t wait_ = 0;  ///< the current wait; an earlier one has no effect
};

}  // namespace farlink::cla::ltp
