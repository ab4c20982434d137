// SPDX-License-Identifier: Apache-2.0
#include "module/control/control_agent.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "common/bus/dispatch.hpp"
#include "common/history/file/history_folder.hpp"
#include "common/runtime/clock.hpp"
#include "module/control/core/json/replies.hpp"

namespace farlink::control {

using bus::AgentId;

namespace {

constexpr const char *kReloadSignal = "SIGHUP";

}  // namespace

ControlAgent::ControlAgent(const config::NodeConfig &config, PlanStore &plan,
                           std::set<AgentId> here, bus::BusContext &context, OnReady on_ready,
                           Reloading reloading)
    : config_(config),
      context_(context),
      here_(std::move(here)),
      on_ready_(std::move(on_ready)),
      loop_(context, AgentId::kSupervisor, {},
            {[this](bus::Message message) { handle(std::move(message)); }, [this] { arm(); },
             [this] { handle_timeout(); }, [this] { handle_second(); }}),
      signals_(loop_.io(), SIGINT, SIGTERM),
      clock_signal_(loop_.io(), SIGUSR1),
      reload_signal_(loop_.io(), SIGHUP),
      modules_(config.threads.instances, config.applications.wanted()),
      shutdown_(modules_, here_, sender()),
      requests_(bus::RequestId{unix_nanoseconds()}, sender()),
      drain_(config.threads.instances, sender()),
      holds_file_(config.node, config.state_folder),
      audit_(config.api.audit_file),
      log_steering_(modules_.modules_without(here_), sender()),
      plan_changes_(std::in_place, loop_.io(), [this] { arm(); }),
      long_replies_(std::in_place, loop_.io(), [this] { arm(); }),
      command_line_levels_(std::move(reloading.log_levels)),
      commands_(config, {plan, requests_, holds_, drain_, modules_, *plan_changes_, *long_replies_},
                command_hooks(), read_wall_clock()),
      reload_(config, std::move(reloading.source), plan, requests_, commands_.links(),
              *plan_changes_, reload_hooks(), control_log()),
      control_(loop_.io(), config.control_socket,
               [this](const Caller &caller, std::string request, const auto &reply) {
                   commands_.handle(caller, std::move(request), reply, read_wall_clock());
                   arm();
               }) {
    wait_for_signal();
    wait_for_clock();
    wait_for_reload();
}

ControlAgent::~ControlAgent() {
    plan_changes_.reset();
    long_replies_.reset();
}

PendingRequests::Send ControlAgent::sender() {
    return [this](AgentId to, bus::Message message) { loop_.send(to, std::move(message)); };
}

CommandHooks ControlAgent::command_hooks() {
    return {.confirm_clock = [this] { confirm_clock(); },
            .log_level =
                [this](const auto &request, const Caller &caller) {
                    return log_steering_.handle_command(request, caller);
                },
            .audit = [this](const AuditedChange &change) { audit(change); },
            .audit_values = [](const auto &request,
                               std::size_t bytes) { return audit_values(request, bytes); },
            .write_held = [this](const auto &held) { return holds_file_.write(held); },
            .find_past =
                [this](const history::BundleQuery &query, std::size_t limit) {
                    return history::find_bundles(config_.history.bundles_folder, query, limit);
                },
            .config = [this](const auto &request, const Caller &caller, const TakeReply &reply,
                             const WallClock &now) { handle_config(request, caller, reply, now); },
            .config_in_force = [this] { return reload_.config(); },
            .log = control_log()};
}

ControlLog ControlAgent::control_log() {
    return {.info = [this](const std::string &line) { control_log_.info("{}", line); },
            .error = [this](const std::string &line) { control_log_.error("{}", line); }};
}

// ---- reload
// --------------------------------------------------------------------------------------

ReloadHooks ControlAgent::reload_hooks() {
    return {.set_log_level =
                [this](const std::string &level) {
                    const LogLevel all = parse_log_level(level).value_or(LogLevel::kInfo);
                    log_steering_.set_configured(
                        parse_log_levels(command_line_levels_, all).value_or(LogLevels{all, {}}));
                },
            .revert_log_levels = [this] { log_steering_.revert(); },
            .note_saved_level = [this] { log_steering_.note_saved(); },
            .log_changes =
                [this] {
                    std::vector<LogLevelChange> list;
                    for (const auto &[logger, level] : log_steering_.changes()) {
                        const LogLevel before = log_steering_.configured().of(logger);
                        list.push_back({logger, std::string(to_string(level)),
                                        std::string(to_string(before))});
                    }
                    return list;
                },
            .send_settings = [this](const std::string &text) { send_settings(text, {}); },
            .report =
                [this](const Caller &caller, const std::string &command, const std::string &values,
                       const bus::ReloadReport &report) {
                    report_reload(caller, command, values, report);
                },
            .busy =
                [this](bool begins) {
                    if (!announced_) return;
                    if (begins)
                        service().reloading(monotonic_now());
                    else
                        service().ready();
                }};
}

void ControlAgent::handle_config(const nlohmann::ordered_json &request, const Caller &caller,
                                 const TakeReply &reply, const WallClock &now) {
    const std::string command = request["command"];
    if (command == "config diff") return reload_.diff(reply, now);
    if (command == "config revert") return reload_.revert(caller, reply, now);
    if (command == "config save") return reload_.save(caller, reply, now);
    const auto partial = request.find("partial");
    if (partial != request.end() && !partial->is_boolean())
        return reply(
            written(error_reply(Refusal::kMalformed, "`partial`: expected true or false")));
    reload_.reload(partial != request.end() && *partial == true, caller, reply, now);
}

void ControlAgent::send_settings(const std::string &settings, std::optional<AgentId> only) {
    const ByteView octets = as_bytes(settings);
    for (const AgentId module : modules_.modules())
        if (bus::handles<bus::SettingsChange>(module) && (!only || *only == module))
            loop_.send(module, bus::SettingsChange{{octets.begin(), octets.end()}});
}

void ControlAgent::report_reload(const Caller &caller, const std::string &command,
                                 const std::string &values, const bus::ReloadReport &report) {
    const bool by_socket = !caller.audited && caller.name != kReloadSignal;
    audit_.write({.time = read_wall_clock().dtn_ms,
                  .who = by_socket ? "user " + caller.name + " by the control socket" : caller.name,
                  .change = command,
                  .values = values,
                  .done = report.done,
                  .detail = report.done ? std::string() : std::string(as_text(report.text))});
    if (!modules_.is_lost(AgentId::kTelemetry)) loop_.send(AgentId::kTelemetry, report);
}

// SIGHUP.
void ControlAgent::wait_for_reload() {
    reload_signal_.async_wait([this](const boost::system::error_code &error, int) {
        if (error) return;
        wait_for_reload();
        if (shutdown_.begun()) return;
        reload_.reload(
            false, {::geteuid(), kReloadSignal}, [](const WrittenReply &) {}, read_wall_clock());
        arm();
    });
}

void ControlAgent::audit(const AuditedChange &change) {
    audit_.write({.time = read_wall_clock().dtn_ms,
                  .who = change.who,
                  .change = change.command,
                  .values = change.values,
                  .done = change.done,
                  .detail = change.error});
}

bool ControlAgent::open() {
    holds_.take(holds_file_.read());
    if (config_.control_socket.empty()) return true;
    const std::string wrong = control_.open();
    if (!wrong.empty()) log_.error("controlSocket: {}", wrong);
    return wrong.empty();
}

// ---- messages
// ------------------------------------------------------------------------------------

void ControlAgent::handle(bus::Message message) {
    const WallClock now = read_wall_clock();
    std::visit(
        [&](auto &data) {
            using Data = std::decay_t<decltype(data)>;
            if constexpr (std::is_same_v<Data, bus::ModuleReady>) {
                handle_ready(data);
            } else if constexpr (std::is_same_v<Data, bus::ModuleEnded>) {
                handle_ended(data.module);
            } else if constexpr (std::is_same_v<Data, bus::ModuleLost>) {
                handle_lost(data.module);
            } else if constexpr (std::is_same_v<Data, bus::ModuleBack>) {
                handle_back(data.module);
            } else if constexpr (std::is_same_v<Data, bus::ClockConfirm>) {
                confirm_clock_by_signal();
            } else if constexpr (std::is_same_v<Data, bus::ApiRequest>) {
                handle_api(data);
            } else if constexpr (std::is_same_v<Data, bus::Stop>) {
                // A process with other modules got a signal, and passes it on.
                if (!shutdown_.begun())
                    log_.info("stopping, as requested by another process of the node");
                begin_stop();
            } else if constexpr (std::is_same_v<Data, bus::LinkChangeResult>) {
                modules_.handle(data);
                commands_.handle(data);
            } else if constexpr (std::is_same_v<Data, bus::ProcessReport>) {
                context_.beat(data.module, now.at);  // the heartbeat of another process
            } else if constexpr (requires { commands_.handle(data); }) {
                commands_.handle(data);
            } else if constexpr (requires { requests_.handle(std::move(data), now); }) {
                requests_.handle(std::move(data), now);
            }
        },
        message);
}

void ControlAgent::handle_ready(const bus::ModuleReady &ready) {
    shutdown_.handle_ready(ready.module);
    modules_.note_ports(ready.ports);
    modules_.note_waiting(ready.waiting);
    drain_.handle_ready(ready.module);
    commands_.handle_ready(ready, read_wall_clock());
    if (ready.failed && announced_) {
        modules_.handle_back(ready.module);
        return log_.error("module {}: failed to start; see the log of its process for the reason",
                          bus::name_of(ready.module));
    }
    modules_.handle_ready(ready.module);
    if (reload_.settings()) send_settings(*reload_.settings(), ready.module);
    if (ready.failed) {
        failed_ = true;
        begin_stop();
    } else if (modules_.complete() && !shutdown_.begun()) {  // not after another has failed
        announce();
        service().ready();
    }
}

void ControlAgent::announce() {
    // The line with the node's ports precedes the counters.
    if (!std::exchange(announced_, true)) on_ready_(modules_.ports(), modules_.waiting());
    loop_.send(AgentId::kTelemetry,
               bus::ModuleReady{.module = AgentId::kSupervisor, .ports = modules_.ports()});
}

// The bus detects a process that has died; one that hangs it may not detect.
void ControlAgent::handle_second() {
    commands_.handle_second(read_wall_clock());
    control_.handle_second();
    const auto last_heartbeat = [this](AgentId module) { return context_.last_beat(module); };
    for (const auto &[module, silent] : modules_.handle_second(last_heartbeat)) {
        if (silent)
            log_.error(
                "module {}: no heartbeat for {} s; the module hangs, or its process is stopped",
                bus::name_of(module), HeartbeatMonitor::kMostMissed);
        else
            log_.info("module {}: heartbeats received again", bus::name_of(module));
    }
}

void ControlAgent::handle_lost(AgentId module) {
    const WallClock now = read_wall_clock();
    modules_.handle_lost(module);
    commands_.handle_lost(module);
    requests_.handle_lost(module, now);
    if (!shutdown_.begun())
        return log_.error("module {}: its process has ended or is not reachable",
                          bus::name_of(module));
    handle_ended(module);
}

void ControlAgent::handle_missing(AgentId module) {
    modules_.handle_missing(module);
    log_.error("module {}: not running or not reachable; the node starts without this module",
               bus::name_of(module));
}

void ControlAgent::handle_back(AgentId module) {
    modules_.handle_back(module);
    log_.info("module {}: its process is reachable again", bus::name_of(module));
    drain_.handle_back(module);
    log_steering_.handle_back(module);
    requests_.handle_back(module, read_wall_clock());
    shutdown_.handle_back(module);
}

// Requests by the HTTP API are the commands of the control socket.
void ControlAgent::handle_api(const bus::ApiRequest &request) {
    const Caller caller{::geteuid(), std::string(as_text(request.caller)), true};
    const auto reply = [this, id = request.id](const std::string &text) {
        const ByteView octets = as_bytes(text);
        loop_.send(AgentId::kTelemetry, bus::ApiReply{id, {octets.begin(), octets.end()}});
    };
    commands_.handle(caller, std::string(as_text(request.request)), reply, read_wall_clock());
}

// ---- time and signals
// ----------------------------------------------------------------------------

void ControlAgent::arm() {
    loop_.arm(
        std::min({requests_.next_timeout(), commands_.next_timeout(), shutdown_.next_timeout()}));
}

void ControlAgent::handle_timeout() {
    const WallClock now = read_wall_clock();
    requests_.handle_timeout(now);
    commands_.handle_timeout(now);
    if (const auto module = shutdown_.handle_timeout(now.at)) {
        log_.error("module {}: shutdown not confirmed in time; the node stops without it",
                   bus::name_of(*module));
        failed_ = true;
        stop_when_complete();
    }
}

void ControlAgent::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code &error, int signal) {
        if (error) return;
        if (stop_requested_) {
            log_.error("second stop signal received; ending this process immediately");
            std::_Exit(EXIT_FAILURE);
        }
        log_.info("stopping, as requested by {}", signal == SIGINT ? "SIGINT" : "SIGTERM");
        stop_requested_ = true;
        begin_stop();
        // In a node of one process every module ends in its time.
        if (here_.size() < modules_.modules().size()) wait_for_signal();
    });
}

void ControlAgent::wait_for_clock() {
    clock_signal_.async_wait([this](const boost::system::error_code &error, int) {
        if (error) return;
        log_.info("clock confirmed by SIGUSR1");
        confirm_clock_by_signal();
        wait_for_clock();
    });
}

// Of this process, or of another one with modules of the node.
void ControlAgent::confirm_clock_by_signal() {
    audit({.who = "SIGUSR1", .command = "clock confirm", .values = {}, .done = true});
    confirm_clock();
}

void ControlAgent::confirm_clock() {
    for (const AgentId module : modules_.modules())
        if (bus::handles<bus::ClockConfirm>(module)) loop_.send(module, bus::ClockConfirm{});
}

// ---- the end
// -------------------------------------------------------------------------------------

void ControlAgent::begin_stop() {
    if (!shutdown_.begun()) service().stopping();
    modules_.begin_stop();
    shutdown_.begin(monotonic_now());
    stop_when_complete();
}

void ControlAgent::stop_when_complete() {
    if (shutdown_.complete()) loop_.stop();
    arm();
}

void ControlAgent::give_up() {
    failed_ = true;
    service().stopping();
    shutdown_.begin_without_local(monotonic_now());
    if (shutdown_.complete()) return;
    arm();
    loop_.run();
}

void ControlAgent::handle_ended(AgentId module) {
    shutdown_.handle_ended(module, monotonic_now());
    stop_when_complete();
}

}  // namespace farlink::control
