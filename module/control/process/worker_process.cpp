// SPDX-License-Identifier: Apache-2.0
#include "module/control/process/worker_process.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace farlink::control {
namespace {

/// How often a process that awaits its end checks that the supervisor is there.
constexpr milliseconds kCheckAgain{200};
/// A supervisor that ends no module during so many checks counts as lost.
constexpr int kMostChecks = 50;

}  // namespace

WorkerProcess::WorkerProcess(bus::BusContext &context, std::set<bus::AgentId> here)
    : context_(context),
      signals_(io_, SIGINT, SIGTERM, SIGUSR1),
      ignored_(io_, SIGHUP),
      check_again_(io_),
      supervisor_(context, bus::AgentId::kSupervisor),
      running_(std::move(here)) {
    wait_for_signal();
    ignore_reload();
}

// The supervisor reloads the configuration for all processes.
void WorkerProcess::ignore_reload() {
    ignored_.async_wait([this](const boost::system::error_code &error, int) {
        if (!error) ignore_reload();
    });
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
            log_.error("second stop signal received; ending this process immediately");
            std::_Exit(EXIT_FAILURE);
        }
        log_.info("stop signal received; requesting the end of the node from the supervisor");
        supervisor_.send(bus::Stop{});
        check_supervisor();
    });
}

// The supervisor ends the modules of the node in their order. Without one this process ends its
// own.
void WorkerProcess::check_supervisor() {
    if (context_.supervisor_lost() || ++checks_ > kMostChecks) return stop_here();
    if (running_.size() < running_before_) checks_ = 0;
    running_before_ = running_.size();
    check_again_.expires_after(kCheckAgain);
    check_again_.async_wait([this](const boost::system::error_code &error) {
        if (!error) check_supervisor();
    });
}

void WorkerProcess::stop_here() {
    log_.warn(
        "the supervisor is lost, or has ended no module of this process for {} s; ending the "
        "modules of this process",
        std::chrono::duration_cast<seconds>(kMostChecks * kCheckAgain).count());
    for (const bus::AgentId module : running_) {
        own_.emplace_back(context_, module);
        if (bus::is_egress(module)) own_.back().send(bus::Stop{.drain = true});
        own_.back().send(bus::Stop{});
    }
}

// All other processes are connected, and the modules of this one are open.
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

}  // namespace farlink::control
