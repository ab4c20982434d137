// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/follower.hpp"

#include <csignal>
#include <cstdlib>

#include "apps/farlink/options.hpp"

namespace farlink::app {

Follower::Follower(bus::BusContext &context, const ModuleChoice &choice)
    : signals_(io_, SIGINT, SIGTERM, SIGUSR1),
      supervisor_(context, bus::AgentId::kSupervisor),
      running_(choice.modules()) {
    wait_for_signal();
}

void Follower::give_up() {
    for (const bus::AgentId module : running_) {
        supervisor_.send(bus::ModuleReady{.module = module, .failed = true});
        supervisor_.send(bus::ModuleEnded{module});
    }
}

// The modules of a node end together, in the order that the supervisor knows.
void Follower::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code &error, int signal) {
        if (error) return;
        wait_for_signal();
        if (signal == SIGUSR1) return supervisor_.send(bus::ClockConfirm{});
        if (std::exchange(told_to_stop_, true)) {
            log_.error("ending at once: told to stop again");
            std::_Exit(kExitFailed);
        }
        log_.info("asking the supervisor to stop the node");
        supervisor_.send(bus::Stop{});
    });
}

// All other processes are there, and the modules here are open.
void Follower::serve() {
    service().ready();
    io_.run();
}

void Follower::handle_ended(bus::AgentId module) {
    service().stopping();
    supervisor_.send(bus::ModuleEnded{module});
    running_.erase(module);
    if (running_.empty()) io_.stop();
}

}  // namespace farlink::app
