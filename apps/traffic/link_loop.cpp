// SPDX-License-Identifier: Apache-2.0
#include "apps/traffic/link_loop.hpp"

#include <csignal>

namespace farlink::traffic {
namespace {

/// As the router's loops have.
constexpr std::uint32_t kSlabBytes = 256 * 1024;
/// Between two looks of the tool: a peer that always has more to say does not keep it from them.
constexpr int kHandlersAtOnce = 16;

}  // namespace

LinkLoop::LinkLoop(std::uint64_t buffer_bytes)
    : pool_(kSlabBytes, buffer_bytes),
      buffer_(pool_),
      work_(io_.get_executor()),
      signals_(io_, SIGINT, SIGTERM),
      timer_(io_, [this] { alarm_ = kNever; }) {
    signals_.async_wait([this](const boost::system::error_code &error, int) {
        if (error) return;
        stop_ = true;
        signals_.clear();
    });
}

void LinkLoop::wait(TimePoint until) {
    // One that rings too early is looked at and done with. Putting it off would end this wait at
    // once, and a tool that always waits for a little longer would never sleep.
    if (until < alarm_) timer_.arm(alarm_ = until);
    io_.run_one();
    poll();
}

void LinkLoop::poll() {
    for (int handlers = 0; handlers < kHandlersAtOnce && io_.poll_one() > 0;) ++handlers;
}

}  // namespace farlink::traffic
