// SPDX-License-Identifier: Apache-2.0
// The thread that receives the signals of the operator; they interrupt no other thread.
// Owned by the program; made before any other thread, and ended after all of them.
// A call into ZeroMQ fails when a signal interrupts it; Asio's signal handler works in any thread.
#pragma once

#include <csignal>
#include <thread>

namespace farlink::control {

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

}  // namespace farlink::control
