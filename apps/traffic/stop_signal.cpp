// SPDX-License-Identifier: Apache-2.0
#include "apps/traffic/stop_signal.hpp"

#include <poll.h>

#include <algorithm>
#include <csignal>

namespace farlink::traffic {
namespace {

volatile std::sig_atomic_t stop_wanted = 0;

void want_stop(int /*signal*/) {
    stop_wanted = 1;
}

}  // namespace

void install_stop_signal() {
    struct sigaction action{};
    action.sa_handler = &want_stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() {
    return stop_wanted != 0;
}

void nap(Duration duration) {
    const auto wait_ns = std::clamp(duration, Duration::zero(), kLongestWait).count();
    timespec wait{};
    wait.tv_nsec = static_cast<long>(wait_ns);
    ::ppoll(nullptr, 0, &wait, nullptr);
}

}  // namespace farlink::traffic
