// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/worker_process.hpp"

#include <csignal>
#include <cstdlib>

#include "apps/farlink/options.hpp"

namespace farlink::app {
namespace {

/// How often one that waits to be told its end looks whether somebody is left to tell it.
constexpr milliseconds kLookAgain{200};
/// A supervisor that has not ended anything by then does not hear.
constexpr int kMostLooks = 50;

}  // namespace

WorkerProcess::WorkerProcess(bus::BusContext &context, const ModuleChoice &choice)
    : context_(context),
      signals_(io_, SIGINT, SIGTERM, SIGUSR1),
      look_again_(io_),
      supervisor_(context, bus::AgentId::kSupervisor),
      running_(choice.modules()) {
    wait_for_signal();
}

void WorkerProcess::give_up() {
    for (const bus::AgentId module : running_) {
        supervisor_.send(bus::ModuleReady{.module = module, .failed = true});
        supervisor_.send(bus::ModuleEnded{module});
    }
}

void WorkerProcess::withdraw() {
    for (const bus::AgentId module : running_) supervisor_.send(bus::ModuleEnded{module});
}

void WorkerProcess::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code &error, int signal) {
        if (error) return;
        wait_for_signal();
        if (signal == SIGUSR1) return supervisor_.send(bus::ClockConfirm{});
        if (std::exchange(stop_requested_, true)) {
            log_.error("ending at once: told to stop again");
            std::_Exit(kExitFailed);
        }
        log_.info("asking the supervisor to stop the node");
        supervisor_.send(bus::Stop{});
        stop();
    });
}

// The modules of a node end together, in the order that the supervisor knows. When there is none,
// nobody else tells those that are here.
void WorkerProcess::stop() {
    if (context_.supervisor_lost() || ++looks_ > kMostLooks) return stop_here();
    if (running_.size() < asked_with_) looks_ = 0;
    asked_with_ = running_.size();
    look_again_.expires_after(kLookAgain);
    look_again_.async_wait([this](const boost::system::error_code &error) {
        if (!error) stop();
    });
}

void WorkerProcess::stop_here() {
    log_.warn("there is no supervisor: ending the modules of this process");
    for (const bus::AgentId module : running_) {
        own_.emplace_back(context_, module);
        if (bus::is_egress(module)) own_.back().send(bus::Stop{.drain = true});
        own_.back().send(bus::Stop{});
    }
}

// All other processes are there, and the modules here are open.
void WorkerProcess::serve() {
    service().ready();
    io_.run();
}

void WorkerProcess::handle_ended(bus::AgentId module) {
    service().stopping();
    supervisor_.send(bus::ModuleEnded{module});
    running_.erase(module);
    if (running_.empty()) io_.stop();
}

}  // namespace farlink::app
