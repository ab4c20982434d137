// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/supervisor.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "cla/tls/gcm/tls_library.hpp"
#include "common/bus/dispatch.hpp"

namespace farlink::app {
namespace {

using bus::AgentId;

/// How long a module of another process may take to end; it limits itself to less.
constexpr seconds kEndLimit{20};
/// All of them together: service managers give a node a minute (packaging/).
constexpr seconds kEndLimitOfAll{45};

/// The modules end with the stream: what comes in, what keeps it, what sends it. The first ingress
/// answers the others, and ends behind them.
std::vector<AgentId> stop_order(std::size_t instances) {
    std::vector<AgentId> order;
    const auto add_all = [&](AgentId role) {
        for (std::size_t at = instances; at-- > 0;) order.push_back(bus::instance_at(role, at));
    };
    add_all(AgentId::kIngress);
    order.push_back(AgentId::kStorage);
    add_all(AgentId::kEgress);
    order.insert(order.end(), {AgentId::kRouter, AgentId::kScheduler, AgentId::kTelemetry});
    return order;
}

bool wants_tls(const config::NodeConfig &config) {
    const auto wants = [](const config::LinkOptions &link) {
        return link.tls.mode != config::TlsMode::kNone;
    };
    return std::ranges::any_of(config.inducts, wants) ||
           std::ranges::any_of(config.outducts, wants);
}

}  // namespace

Supervisor::Supervisor(const config::NodeConfig &config, ContactPlanStore &plan,
                       const Options &options, const ModuleChoice &choice, bus::BusContext &context)
    : config_(config),
      context_(context),
      print_counters_(options.print_counters),
      loop_(context, AgentId::kSupervisor, {},
            {[this](bus::Message message) { handle(std::move(message)); }, [] {}, [] {},
             [this] { handle_second(); }}),
      signals_(loop_.io(), SIGINT, SIGTERM),
      clock_signal_(loop_.io(), SIGUSR1),
      here_(choice.modules()),
      stop_order_(stop_order(config.threads.instances)),
      requests_(loop_.io(),
                [this](AgentId to, bus::Message message) { loop_.send(to, std::move(message)); }),
      holds_(config),
      audit_(config.api.audit_file),
      log_steering_(
          modules_elsewhere(),
          [this](AgentId to, bus::Message message) { loop_.send(to, std::move(message)); }),
      commands_(
          loop_.io(), config, plan, requests_, holds_,
          {[this] { confirm_clock(); }, [this](bool drained) { set_drained(drained); },
           [this] { return drained_; }, [this](AgentId module) { return state_of(module); },
           [this](std::string_view logger, LogLevel level) { log_steering_.change(logger, level); },
           [this](const AuditEntry &entry) { audit_.write(entry); }}),
      control_(loop_.io(), config.control_socket,
               [this](const Caller &caller, std::string request, const auto &reply) {
                   commands_.handle(caller, std::move(request), reply);
               }),
      end_limit_(loop_.io()) {
    wait_for_signal();
    wait_for_clock();
}

std::vector<AgentId> Supervisor::modules_elsewhere() const {
    std::vector<AgentId> modules;
    for (const AgentId module : stop_order_)
        if (!here_.contains(module)) modules.push_back(module);
    return modules;
}

bool Supervisor::open() {
    holds_.open();
    if (config_.control_socket.empty()) return true;
    const std::string wrong = control_.open();
    if (!wrong.empty()) log_.error("the control socket: {}", wrong);
    return wrong.empty();
}

// ---- what it hears
// -------------------------------------------------------------------------------

void Supervisor::handle(bus::Message message) {
    bus::dispatch<bus::SupervisorMessages>(message, [this](auto &data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, bus::ModuleReady>)
            handle_ready(data);
        else if constexpr (std::is_same_v<Data, bus::ModuleEnded>)
            handle_ended(data.module);
        else if constexpr (std::is_same_v<Data, bus::ModuleLost>)
            handle_lost(data.module);
        else if constexpr (std::is_same_v<Data, bus::ModuleBack>)
            handle_back(data.module);
        else if constexpr (std::is_same_v<Data, bus::ClockConfirm>)
            confirm_clock();
        else if constexpr (std::is_same_v<Data, bus::ApiRequest>)
            handle_api(data);
        else if constexpr (std::is_same_v<Data, bus::Stop>)
            handle_stop();
        else if constexpr (std::is_same_v<Data, bus::LinkChangeResult>)
            handle_changed(data);
        else if constexpr (std::is_same_v<Data, bus::ProcessReport>)
            handle_sign(data);
        else if constexpr (std::is_same_v<Data, bus::PingReply>)
            commands_.handle(data);
        else
            requests_.handle(std::move(data));
    });
}

void Supervisor::handle_ready(const bus::ModuleReady &ready) {
    ended_.erase(ready.module);  // another process with it, after one that had ended
    lost_.erase(ready.module);   // or one that was missed, and had greeted in time
    note_ports(ready.ports);
    if (ready.module == AgentId::kRouter) commands_.handle_router();
    // It may have been told something else by a supervisor that has died.
    if (bus::is_ingress(ready.module)) loop_.send(ready.module, bus::DrainMode{drained_});
    commands_.handle_ready(ready);
    if (ready.failed && announced_)
        return log_.error("{} cannot do what it is configured for", bus::name_of(ready.module));
    ready_.insert(ready.module);
    if (ready.failed) {
        failed_ = true;
        begin_stop();
    } else if (complete() && !stopping_) {  // not after another has failed
        announce();
        service().ready();
    }
}

// Each instance of ingress tells those of its own inducts, and 0 for the others.
void Supervisor::note_ports(const std::vector<std::uint16_t> &ports) {
    ports_.resize(std::max(ports_.size(), ports.size()));
    for (std::size_t at = 0; at < ports.size(); ++at)
        if (ports[at] != 0) ports_[at] = ports[at];
}

void Supervisor::handle_changed(const bus::LinkChangeResult &result) {
    // Those of the configuration keep their place; 0: it was removed.
    if (result.error.empty() && result.link.value() < ports_.size())
        ports_[result.link.value()] = result.port;
    commands_.handle(result);
}

// It carries bundles without telemetry, too.
bool Supervisor::complete() const {
    const std::size_t missing = lost_.contains(AgentId::kTelemetry) ? 1 : 0;
    return ready_.size() + missing == stop_order_.size();
}

std::string_view Supervisor::state_of(AgentId module) const {
    if (lost_.contains(module)) return "lost";
    if (heartbeats_.silent(module)) return "silent";
    return ready_.contains(module) ? "ready" : "starting";
}

void Supervisor::handle_sign(const bus::ProcessReport &report) {
    context_.beat(report.module, monotonic_now());
}

// The bus sees that a process has died; one that hangs it may not see.
void Supervisor::handle_second() {
    for (const AgentId module : ready_) {
        if (!heartbeats_.watch(module, context_.last_beat(module)) || stopping_) continue;
        if (heartbeats_.silent(module))
            log_.error("{} is silent: it hangs, or was stopped", bus::name_of(module));
        else
            log_.info("{} is not silent any more", bus::name_of(module));
    }
}

// Its process has ended, or does not answer; the others go on as far as they can.
void Supervisor::handle_lost(AgentId module) {
    ready_.erase(module);
    lost_.insert(module);
    heartbeats_.forget(module);
    commands_.handle_lost(module);
    requests_.handle_lost(module);
    if (!stopping_) return log_.error("{} is lost", bus::name_of(module));
    handle_ended(module);
}

void Supervisor::handle_missing(AgentId module) {
    lost_.insert(module);
    log_.error("{} is not there: the node begins without it", bus::name_of(module));
}

void Supervisor::handle_back(AgentId module) {
    lost_.erase(module);
    log_.info("{} is back", bus::name_of(module));
    // Another process hears of it before it opens its inducts.
    if (drained_ && bus::is_ingress(module)) loop_.send(module, bus::DrainMode{true});
    log_steering_.handle_back(module);
    requests_.handle_back(module);
    if (stopping_ && !ended_.contains(module)) loop_.send(module, bus::Stop{.drain = false});
}

// What comes by the HTTP API is no other command than what comes by the control socket.
void Supervisor::handle_api(const bus::ApiRequest &request) {
    const Caller caller{::geteuid(), std::string(as_text(request.caller)), true};
    commands_.handle(caller, std::string(as_text(request.request)),
                     [this, id = request.id](const std::string &reply) {
                         const ByteView octets = as_bytes(reply);
                         loop_.send(AgentId::kTelemetry,
                                    bus::ApiReply{id, {octets.begin(), octets.end()}});
                     });
}

void Supervisor::announce() {
    // The counters follow the line that tells of the node, never precede it.
    if (!std::exchange(announced_, true)) publish_node();
    loop_.send(AgentId::kTelemetry,
               bus::ModuleReady{.module = AgentId::kSupervisor, .ports = ports_});
}

void Supervisor::publish_node() {
    std::string ports;
    std::string addresses;
    for (std::size_t i = 0; i < std::min(ports_.size(), config_.inducts.size()); ++i) {
        const config::LinkUrl &url = config_.inducts[i].url;
        const std::string port = std::to_string(ports_[i]);
        ports += (i == 0 ? "" : ",") + port;
        addresses += " " + url.scheme + "://" + url.host + ":" + port;
    }
    if (wants_tls(config_)) log_.info("TLS: AES-GCM by {}", cla::TlsLibrary::instance().gcm());
    log_.info("ready: node {} listens on{}", config_.node.value(), addresses);
    if (print_counters_) {
        std::printf("{\"ready\":true,\"ports\":[%s]}\n", ports.c_str());
        std::fflush(stdout);
    }
}

void Supervisor::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code &error, int signal) {
        if (error) return;
        if (stop_requested_) {
            log_.error("ending at once: told to stop again");
            std::_Exit(kExitFailed);
        }
        log_.info("stopping on {}", signal == SIGINT ? "SIGINT" : "SIGTERM");
        stop_requested_ = true;
        begin_stop();
        // Of a node in one process every module ends in its time.
        if (here_.size() < stop_order_.size()) wait_for_signal();
    });
}

// The operator says that the clock is right.
void Supervisor::wait_for_clock() {
    clock_signal_.async_wait([this](const boost::system::error_code &error, int) {
        if (error) return;
        log_.info("the clock is confirmed");
        confirm_clock();
        wait_for_clock();
    });
}

void Supervisor::confirm_clock() {
    for (const AgentId module : stop_order_)
        if (module == AgentId::kStorage || bus::is_ingress(module) || bus::is_egress(module))
            loop_.send(module, bus::ClockConfirm{});
}

void Supervisor::set_drained(bool drained) {
    drained_ = drained;
    for (const AgentId module : stop_order_)
        if (bus::is_ingress(module)) loop_.send(module, bus::DrainMode{drained});
}

// ---- the end
// -------------------------------------------------------------------------------------

// A process with other modules was told by a signal, and passes it on.
void Supervisor::handle_stop() {
    if (!stopping_) log_.info("stopping: another process of the node was told to");
    begin_stop();
}

// Links close first, and give back what they have not begun; storage takes it, and what ingress
// holds, whatever its limits.
void Supervisor::begin_stop() {
    if (std::exchange(stopping_, true)) return;
    stop_by_ = monotonic_now() + kEndLimitOfAll;
    service().stopping();
    for (const AgentId module : stop_order_)
        if (bus::is_egress(module) || module == AgentId::kStorage)
            loop_.send(module, bus::Stop{.drain = true});
    stop_next();
}

void Supervisor::stop_next() {
    const auto gone = [this](AgentId module) {
        return ended_.contains(module) || lost_.contains(module);
    };
    while (next_to_stop_ < stop_order_.size() && gone(stop_order_[next_to_stop_])) ++next_to_stop_;
    if (next_to_stop_ == stop_order_.size()) return loop_.stop();
    loop_.send(stop_order_[next_to_stop_], bus::Stop{.drain = false});
    wait_for_end();
}

// A process that has died says nothing any more.
void Supervisor::wait_for_end() {
    end_limit_.cancel();
    if (here_.contains(stop_order_[next_to_stop_])) return;
    end_limit_.expires_after(
        std::clamp<Duration>(stop_by_ - monotonic_now(), seconds{1}, kEndLimit));
    end_limit_.async_wait([this](const boost::system::error_code &error) {
        if (!error) handle_no_end();
    });
}

void Supervisor::handle_no_end() {
    const AgentId module = stop_order_[next_to_stop_];
    log_.error("{} has not said that it has ended", bus::name_of(module));
    failed_ = true;
    handle_ended(module);
}

void Supervisor::give_up() {
    failed_ = true;
    ended_ = here_;
    begin_stop();
    if (next_to_stop_ < stop_order_.size()) loop_.run();
}

void Supervisor::handle_ended(AgentId module) {
    const bool expected =
        stopping_ && next_to_stop_ < stop_order_.size() && stop_order_[next_to_stop_] == module;
    ended_.insert(module);
    if (expected) stop_next();
}

}  // namespace farlink::app
