// SPDX-License-Identifier: Apache-2.0
// The control module on the bus: brings messages, signals, the control socket and time to the
// control core, and supervises the modules of the node, those of other processes too.
// Owned by the Node of the process with the scheduler; its main thread.
#pragma once

#include <boost/asio/signal_set.hpp>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/audit/audit_log.hpp"
#include "common/bus/loop/agent_loop.hpp"
#include "common/config/node/node_config.hpp"
#include "module/control/control_server.hpp"
#include "module/control/core/commands/commands.hpp"
#include "module/control/core/commands/reload_commands.hpp"
#include "module/control/core/drain_mode.hpp"
#include "module/control/core/held_destinations.hpp"
#include "module/control/core/module_supervision.hpp"
#include "module/control/core/pending_requests.hpp"
#include "module/control/core/shutdown.hpp"
#include "module/control/log_steering.hpp"
#include "module/control/process/process_controller.hpp"
#include "module/control/slow_work.hpp"
#include "module/control/state/held_destinations_file.hpp"

namespace farlink::control {

class ControlAgent final : public ProcessController {
public:
    /// Called once, when all modules are ready for the first time, with the ports of the inducts.
    /// `waiting`: the places of inducts that do not listen yet.
    using OnReady = std::function<void(const std::vector<std::uint16_t> &ports,
                                       const std::set<std::uint16_t> &waiting)>;

    /// What a reload needs. Without a path in `source` there is none.
    struct Reloading {
        ConfigSource source{};
        std::string log_levels{};  ///< of the command line, which overrides the file
    };

    /// The first two and the bus are borrowed. `here`: the modules of this process.
    ControlAgent(const config::NodeConfig &config, PlanStore &plan, std::set<bus::AgentId> here,
                 bus::BusContext &context, OnReady on_ready, Reloading reloading);

    ~ControlAgent() override;

    [[nodiscard]] boost::asio::io_context &io() override { return loop_.io(); }
    [[nodiscard]] bool open() override;
    void give_up() override;
    void withdraw() override {}
    [[nodiscard]] bool stop_requested() const override { return stop_requested_; }
    void handle_missing(bus::AgentId module) override;
    void serve() override { loop_.run(); }
    void handle_ended(bus::AgentId module) override;
    [[nodiscard]] bool failed() const override { return failed_; }

private:
    [[nodiscard]] CommandHooks command_hooks();
    [[nodiscard]] ControlLog control_log();
    [[nodiscard]] ReloadHooks reload_hooks();
    void audit(const AuditedChange &change);
    void handle_config(const nlohmann::ordered_json &request, const Caller &caller,
                       const TakeReply &reply, const WallClock &now);
    void send_settings(const std::string &settings, std::optional<bus::AgentId> only);
    void report_reload(const Caller &caller, const std::string &command, const std::string &values,
                       const bus::ReloadReport &report);
    void handle(bus::Message message);
    void handle_ready(const bus::ModuleReady &ready);
    void handle_lost(bus::AgentId module);
    void handle_back(bus::AgentId module);
    void handle_api(const bus::ApiRequest &request);
    void handle_second();
    void handle_timeout();
    void arm();
    void announce();
    void wait_for_signal();
    void wait_for_clock();
    void wait_for_reload();
    void confirm_clock();
    void confirm_clock_by_signal();
    void begin_stop();
    void stop_when_complete();
    [[nodiscard]] PendingRequests::Send sender();

    const config::NodeConfig &config_;
    bus::BusContext &context_;
    std::set<bus::AgentId> here_;
    OnReady on_ready_;
    Logger log_{"farlink"};
    Logger control_log_{"control"};
    bus::AgentLoop loop_;
    boost::asio::signal_set signals_;
    boost::asio::signal_set clock_signal_;
    boost::asio::signal_set reload_signal_;
    ModuleSupervision modules_;
    Shutdown shutdown_;
    PendingRequests requests_;
    DrainMode drain_;
    HeldDestinationsFile holds_file_;
    HeldDestinations holds_;
    AuditLog audit_;
    LogSteering log_steering_;
    /// They end before the commands, which queued work uses.
    std::optional<SlowWork> plan_changes_;
    std::optional<SlowWork> long_replies_;
    std::string command_line_levels_;
    Commands commands_;
    ReloadCommands reload_;
    ControlServer control_;
    bool stop_requested_ = false;
    bool announced_ = false;
    bool failed_ = false;
};

}  // namespace farlink::control
