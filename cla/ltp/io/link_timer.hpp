// SPDX-License-Identifier: Apache-2.0
// A timer of an LTP link: a shared body, which its waiting handler holds.
// Owned by the part of the link that it wakes, which calls close() before it ends.
// The loop's thread. After close() the callback is never called again.
#pragma once

#include <functional>
#include <memory>

#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla::ltp {

class LinkTimer : public std::enable_shared_from_this<LinkTimer> {
public:
    LinkTimer(boost::asio::io_context &io, std::function<void()> on_due)
        : timer_(io), on_due_(std::move(on_due)) {}

    /// Replaces the wait before it.
    void wait_until(TimePoint due);
    void wait_for(Duration time) { wait_until(monotonic_now() + time); }
    void cancel();
    void close();
    [[nodiscard]] bool closed() const { return closed_; }

private:
    MonotonicTimer timer_;
    std::function<void()> on_due_;
    std::uint64_t wait_ = 0;  ///< the current wait; an earlier one has no effect
    bool closed_ = false;
};

}  // namespace farlink::cla::ltp
