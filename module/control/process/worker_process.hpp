// SPDX-License-Identifier: Apache-2.0
// The main thread of a process without the scheduler: passes signals to the supervisor in another
// process, which ends the modules.
// Owned by the Node.
// The main thread.
#pragma once

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <set>

#include "common/bus/zmq/zmq_bus.hpp"
#include "common/runtime/log/log.hpp"
#include "module/control/process/process_controller.hpp"

namespace farlink::control {

class WorkerProcess final : public ProcessController {
public:
    /// `here`: the modules of this process.
    WorkerProcess(bus::BusContext &context, std::set<bus::AgentId> here);

    [[nodiscard]] boost::asio::io_context &io() override { return io_; }
    [[nodiscard]] bool open() override { return true; }
    void give_up() override;
    void withdraw() override;
    [[nodiscard]] bool stop_requested() const override { return stop_requested_; }
    void handle_missing(bus::AgentId) override {}
    void serve() override;
    void handle_ended(bus::AgentId module) override;
    [[nodiscard]] bool failed() const override { return false; }

private:
    void wait_for_signal();
    void ignore_reload();
    void check_supervisor();
    void stop_here();

    bus::BusContext &context_;
    boost::asio::io_context io_{1};
    boost::asio::signal_set signals_;
    boost::asio::signal_set ignored_;
    boost::asio::steady_timer check_again_;
    bus::BusMessenger supervisor_;
    std::list<bus::BusMessenger> own_;  ///< to the modules of this process
    Logger log_{"farlink"};
    std::set<bus::AgentId> running_;
    std::size_t running_before_ = 0;  ///< modules that ran at the last check
    int checks_ = 0;                  ///< since a module has ended
    bool stop_requested_ = false;
};

}  // namespace farlink::control
