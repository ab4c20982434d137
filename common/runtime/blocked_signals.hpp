// SPDX-License-Identifier: Apache-2.0
// Signals that ask a program to do something, blocked in this thread for a scope.
// On the stack of whoever starts a thread meanwhile, which inherits it for good.
// Any thread. Such signals reach a thread that awaits them, or the main thread.
#pragma once

#include <csignal>

namespace farlink {

class BlockedSignals {
public:
    BlockedSignals() {
        sigset_t signals;
        ::sigemptyset(&signals);
        for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) ::sigaddset(&signals, each);
        ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
    }
    BlockedSignals(const BlockedSignals &) = delete;
    BlockedSignals &operator=(const BlockedSignals &) = delete;
    ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

}  // namespace farlink
