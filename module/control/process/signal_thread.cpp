// SPDX-License-Identifier: Apache-2.0
#include "module/control/process/signal_thread.hpp"

#include <condition_variable>
#include <mutex>

namespace farlink::control {
namespace {

sigset_t of_the_operator() {
    sigset_t set{};
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGHUP}) sigaddset(&set, signal);
    return set;
}

void let_signals_in(const std::stop_token &stop) {
    const sigset_t set = of_the_operator();
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock(mutex);
    ended.wait(lock, stop, [] { return false; });
}

}  // namespace

// Threads inherit the blocked signals.
SignalThread::SignalThread() {
    const sigset_t set = of_the_operator();
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
    thread_ = std::jthread(let_signals_in);
}

SignalThread::~SignalThread() {
    thread_.request_stop();
    thread_.join();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace farlink::control
