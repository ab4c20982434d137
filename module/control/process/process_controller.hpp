// SPDX-License-Identifier: Apache-2.0
// The main thread of a process while its modules run: in the process with the scheduler it
// supervises the node (ControlAgent), in every other one it reports to the supervisor
// (WorkerProcess).
// Owned by the Node. The main thread.
#pragma once

#include <boost/asio/io_context.hpp>

#include "common/bus/messages.hpp"
#include "common/runtime/process/service_notify.hpp"

namespace farlink::control {

class ProcessController {
public:
    virtual ~ProcessController() = default;

    [[nodiscard]] virtual boost::asio::io_context &io() = 0;
    /// Before the modules run; false: the reason is in the log.
    [[nodiscard]] virtual bool open() = 0;
    /// The modules of this process do not start: ends the other processes.
    virtual void give_up() = 0;
    /// The node ends before the modules of this process have started.
    virtual void withdraw() = 0;
    /// The process got a stop signal.
    [[nodiscard]] virtual bool stop_requested() const = 0;
    /// A module of another process does not run; the node starts without it.
    virtual void handle_missing(bus::AgentId module) = 0;
    /// Until all modules of this process, and those that it supervises, have ended.
    virtual void serve() = 0;
    /// A module of this process has ended.
    virtual void handle_ended(bus::AgentId module) = 0;
    /// The node could not start as it is configured, or a module did not confirm shutdown.
    [[nodiscard]] virtual bool failed() const = 0;
    /// For the service manager: ready, stopping.
    [[nodiscard]] ServiceNotify &service() { return service_; }

private:
    ServiceNotify service_ = ServiceNotify::from_environment();
};

}  // namespace farlink::control
