// SPDX-License-Identifier: Apache-2.0
#include "apps/traffic/link_loop.hpp"

#include <csignal>

namespace farlink::traffic {
namespace {

/// As the router's loops have.
constexpr std::uint32_t kSlabBytes = 256 * 1024;

}  // namespace

LinkLoop::LinkLoop(std::uint64_t buffer_bytes)
    : pool_(kSlabBytes, buffer_bytes),
      buffer_(pool_),
      work_(io_.get_executor()),
      signals_(io_, SIGINT, SIGTERM),
      timer_(io_, [] {}) {
    signals_.async_wait([this](const boost::system::error_code &error, int) {
        if (error) return;
        stop_ = true;
        signals_.clear();
    });
}

void LinkLoop::wait(TimePoint until) {
    timer_.arm(until);
    io_.run_one();
    io_.poll();
}

}  // namespace farlink::traffic
