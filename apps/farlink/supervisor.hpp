// SPDX-License-Identifier: Apache-2.0
// The main thread of the process with the scheduler: knows when the node is ready, takes commands,
// and ends all modules in their order, those of other processes too.
// Owned by the Node.
// The main thread.
#pragma once

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>
#include <vector>

#include "apps/farlink/module_choice.hpp"
#include "apps/farlink/options.hpp"
#include "apps/farlink/process_controller.hpp"
#include "common/bus/loop/agent_loop.hpp"
#include "module/control/commands.hpp"
#include "module/control/contact_plan_store.hpp"
#include "module/control/control_server.hpp"
#include "module/control/core/heartbeat_monitor.hpp"
#include "module/control/held_destinations.hpp"
#include "module/control/log_commands.hpp"
#include "module/control/pending_requests.hpp"

namespace farlink::app {

class Supervisor final : public ProcessController {
public:
    /// All are borrowed.
    Supervisor(const config::NodeConfig &config, ContactPlanStore &plan, const Options &options,
               const ModuleChoice &choice, bus::BusContext &context);

    [[nodiscard]] boost::asio::io_context &io() override { return loop_.io(); }
    [[nodiscard]] bool open() override;
    void give_up() override;
    void withdraw() override {}
    [[nodiscard]] bool stop_requested() const override { return stop_requested_; }
    void handle_missing(bus::AgentId module) override;
    void serve() override { loop_.run(); }
    void handle_ended(bus::AgentId module) override;
    [[nodiscard]] bool began() const override { return announced_; }
    [[nodiscard]] bool failed() const override { return failed_; }

private:
    void handle(bus::Message message);
    void handle_ready(const bus::ModuleReady &ready);
    void handle_lost(bus::AgentId module);
    void handle_back(bus::AgentId module);
    void handle_api(const bus::ApiRequest &request);
    void handle_changed(const bus::LinkChangeResult &result);
    /// Of a module in another process.
    void handle_sign(const bus::ProcessReport &report);
    void handle_second();
    void note_ports(const std::vector<std::uint16_t> &ports);
    [[nodiscard]] std::string_view state_of(bus::AgentId module) const;
    [[nodiscard]] std::vector<bus::AgentId> modules_elsewhere() const;
    [[nodiscard]] bool complete() const;
    void announce();
    void publish_node();
    void wait_for_signal();
    void wait_for_clock();
    void confirm_clock();
    void set_drained(bool drained);
    void handle_stop();
    void begin_stop();
    void stop_next();
    void wait_for_end();
    void handle_no_end();

    const config::NodeConfig &config_;
    bus::BusContext &context_;
    bool print_counters_;
    Logger log_{"farlink"};
    bus::AgentLoop loop_;
    boost::asio::signal_set signals_;
    boost::asio::signal_set clock_signal_;
    std::set<bus::AgentId> here_;
    std::vector<bus::AgentId> stop_order_;  ///< of all modules of the node
    PendingRequests requests_;
    HeldDestinations holds_;
    AuditLog audit_;
    LogSteering log_steering_;
    Commands commands_;
    ControlServer control_;
    boost::asio::steady_timer end_limit_;
    TimePoint stop_by_{};
    std::set<bus::AgentId> ready_;
    std::set<bus::AgentId> ended_;
    std::set<bus::AgentId> lost_;       ///< of other processes
    HeartbeatMonitor heartbeats_;       ///< of those that are ready
    std::vector<std::uint16_t> ports_;  ///< of the inducts
    std::size_t next_to_stop_ = 0;
    bool stop_requested_ = false;
    bool stopping_ = false;
    bool announced_ = false;
    bool drained_ = false;
    bool failed_ = false;
};

}  // namespace farlink::app
