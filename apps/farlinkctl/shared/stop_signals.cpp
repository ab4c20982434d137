// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/stop_signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace farlink::ctl {

StopSignals::StopSignals() {
    sigset_t both;
    ::sigemptyset(&both);
    ::sigaddset(&both, SIGINT);
    ::sigaddset(&both, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &both, &before_);
    signals_ = FileDescriptor(::signalfd(-1, &both, SFD_NONBLOCK | SFD_CLOEXEC));
}

StopSignals::~StopSignals() {
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool StopSignals::asked() {
    signalfd_siginfo first{};
    if (asked_ || ::read(signals_.get(), &first, sizeof first) <= 0) return asked_;
    asked_ = true;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    return true;
}

}  // namespace farlink::ctl
