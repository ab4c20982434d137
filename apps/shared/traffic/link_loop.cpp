// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/link_loop.hpp"

#include <csignal>

namespace farlink::traffic {
namespace {

/// The same as in the router's loops.
constexpr std::uint32_t kSlabBytes = 256 * 1024;
/// Limit of one turn, so that a busy peer does not keep the tool from its own work.
constexpr int kHandlersAtOnce = 16;

}  // namespace

LinkLoop::LinkLoop(std::uint64_t buffer_bytes)
    : pool_(kSlabBytes, buffer_bytes),
      buffer_(pool_),
      work_(io_.get_executor()),
      signals_(io_, SIGINT, SIGTERM),
      timer_(io_, [this] { alarm_ = kNever; }) {
    await_signal();
}

void LinkLoop::await_signal() {
    signals_.async_wait([this](const boost::system::error_code &error, int) {
        if (error) return;
        abort_ = stop_;
        stop_ = true;
        if (awaits_second_ && !abort_) return await_signal();
        signals_.clear();
    });
}

void LinkLoop::wait(TimePoint until) {
    // A timer that fires too early is not set again here: setting it would end this wait at once,
    // and a tool that waits a little longer each time would never sleep.
    if (until < alarm_) timer_.arm(alarm_ = until);
    io_.run_one();
    poll();
}

void LinkLoop::poll() {
    for (int handlers = 0; handlers < kHandlersAtOnce && io_.poll_one() > 0;) ++handlers;
}

}  // namespace farlink::traffic
