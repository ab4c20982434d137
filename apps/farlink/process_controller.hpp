// SPDX-License-Identifier: Apache-2.0
// What the main thread of a process does while its modules run: in the process with the scheduler
// it supervises the node (Supervisor), in every other one it passes on what it is told
// (WorkerProcess). Owned by the Node. The main thread.
#pragma once

#include <boost/asio/io_context.hpp>

#include "common/bus/messages.hpp"
#include "common/runtime/service_notify.hpp"

namespace farlink::app {

class ProcessController {
public:
    virtual ~ProcessController() = default;

    [[nodiscard]] virtual boost::asio::io_context &io() = 0;
    /// Before the modules run; false: the reason is in the log.
    [[nodiscard]] virtual bool open() = 0;
    /// The modules here do not start: tells the others, who end.
    virtual void give_up() = 0;
    /// The node ends before the modules here have begun: there is nothing to end.
    virtual void withdraw() = 0;
    /// The process was told to end, by a signal.
    [[nodiscard]] virtual bool stop_requested() const = 0;
    /// This one is in another process and not there; the node begins without it.
    virtual void handle_missing(bus::AgentId module) = 0;
    /// Until all modules of this process, and those that it supervises, have ended.
    virtual void serve() = 0;
    /// A module of this process has ended.
    virtual void handle_ended(bus::AgentId module) = 0;
    /// The node has come to its start, as far as is known here: there is something to account for.
    [[nodiscard]] virtual bool began() const = 0;
    /// The node could not start as it is configured.
    [[nodiscard]] virtual bool failed() const = 0;
    /// The service manager, whom it tells when all is ready and when the end begins.
    [[nodiscard]] ServiceNotify &service() { return service_; }

private:
    ServiceNotify service_ = ServiceNotify::from_environment();
};

}  // namespace farlink::app
