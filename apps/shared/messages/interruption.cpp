// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/interruption.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace farlink::messages {
namespace {

sigset_t both_signals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGINT);
    ::sigaddset(&signals, SIGTERM);
    return signals;
}

FileDescriptor blocked_signals() {
    const sigset_t signals = both_signals();
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return FileDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC));
}

void set(const FileDescriptor &event) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event.get(), &one, sizeof one);
}

}  // namespace

Interruption::Interruption(std::function<void()> on_first)
    : on_first_(std::move(on_first)),
      signals_(blocked_signals()),
      asked_event_(::eventfd(0, EFD_CLOEXEC)),
      end_event_(::eventfd(0, EFD_CLOEXEC)),
      thread_(&Interruption::wait, this) {}

Interruption::~Interruption() {
    set(end_event_);
    thread_.join();
}

void Interruption::wait() {
    std::array<pollfd, 2> waiting{{{signals_.get(), POLLIN, 0}, {end_event_.get(), POLLIN, 0}}};
    while (::poll(waiting.data(), waiting.size(), -1) < 0)
        if (errno != EINTR) return;
    if (waiting[1].revents != 0) return;
    signalfd_siginfo first{};
    [[maybe_unused]] const ssize_t size = ::read(signals_.get(), &first, sizeof first);
    // A second one has its usual effect.
    const sigset_t signals = both_signals();
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    asked_ = true;
    set(asked_event_);
    if (on_first_) on_first_();
    // Stays to take a second one, until the program has ended.
    pollfd end{end_event_.get(), POLLIN, 0};
    while (::poll(&end, 1, -1) < 0 && errno == EINTR) {
    }
}

}  // namespace farlink::messages
