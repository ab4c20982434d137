// SPDX-License-Identifier: Apache-2.0
// The thread in which signals of the operator arrive; no other one is interrupted by them.
// Owned by the program; made before any other thread, and ended after all of them.
// A call into ZeroMQ that a signal interrupts fails, in whichever thread that is; Asio's handler of
// the signal works in any.
#pragma once

#include <csignal>
#include <thread>

namespace farlink::app {

class SignalThread {
public:
    SignalThread();
    ~SignalThread();
    SignalThread(const SignalThread &) = delete;
    SignalThread &operator=(const SignalThread &) = delete;

private:
    sigset_t before_{};
    std::jthread thread_;
};

}  // namespace farlink::app
