// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/node.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "apps/farlink/commands.hpp"
#include "apps/farlink/control_server.hpp"
#include "cla/api/link_fault.hpp"
#include "cla/host/tls_library.hpp"
#include "cla/ltp/ltp_counts.hpp"
#include "common/bus/agent_loop.hpp"
#include "common/runtime/log.hpp"
#include "module/egress/egress_agent.hpp"
#include "module/ingress/ingress_agent.hpp"
#include "module/router/router_agent.hpp"
#include "module/scheduler/scheduler_agent.hpp"
#include "module/storage/storage_agent.hpp"
#include "module/telemetry/telemetry_agent.hpp"

namespace farlink::app {
namespace {

template <class Enum>
std::vector<std::string_view> names_of_all() {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Enum::kCount_); ++i)
        names.push_back(to_string(static_cast<Enum>(i)));
    return names;
}

/// How the layers call what peers do wrong.
std::span<const telemetry::FamilyLabels> link_labels() {
    static const auto faults = names_of_all<cla::LinkFault>();
    static const auto departures = names_of_all<cla::Departure>();
    static const std::array<telemetry::FamilyLabels, 6> labels{
        {{"ingress_link_fault", faults},
         {"ingress_departure", departures},
         {"egress_link_fault", faults},
         {"egress_departure", departures},
         {"departure", departures},
         {"ltp", cla::ltp::ltp_count_names()}}};
    return labels;
}

bool wants_tls(const config::NodeConfig &config) {
    const auto wants = [](const config::LinkOptions &link) {
        return link.tls.mode != config::TlsMode::kNone;
    };
    return std::ranges::any_of(config.inducts, wants) ||
           std::ranges::any_of(config.outducts, wants);
}

}  // namespace

// Destroyed from the bottom up: the agents, the supervisor's port, the bus.
struct Node::Modules {
    Modules(const config::NodeConfig &node, PlanKeeper &plan, const Options &options)
        : config(node),
          print_counters(options.print_counters),
          supervisor(context, bus::AgentId::kSupervisor, {},
                     {[this](bus::Message message) { handle(message); }, [] {}, [] {}, [] {}}),
          signals(supervisor.io(), SIGINT, SIGTERM),
          clock_signal(supervisor.io(), SIGUSR1),
          questions(supervisor.io(),
                    [this](bus::AgentId to, bus::Message message) {
                        supervisor.send(to, std::move(message));
                    }),
          commands(node, plan, questions,
                   {[this] { confirm_clock(); },
                    [this] { return ready.contains(bus::AgentId::kStorage); }}),
          control(supervisor.io(), node.control_socket,
                  [this](const Caller &caller, const std::string &request, const auto &reply) {
                      commands.handle(caller, request, reply);
                  }),
          scheduler(node, plan.plan(), context),
          router(node, context),
          telemetry(context, options.print_counters, link_labels()),
          egress(node, context),
          storage(node, context),
          ingress(node, context) {}

    void handle(const bus::Message &message);
    void announce();
    void supervise();
    void wait_for_clock();
    void confirm_clock();
    [[nodiscard]] bool open_control();
    void stop(bus::AgentId module, std::thread &thread);

    const config::NodeConfig &config;
    bool print_counters;
    bool failed = false;
    Logger log{"farlink"};
    bus::BusContext context;
    bus::AgentLoop supervisor;
    boost::asio::signal_set signals;
    boost::asio::signal_set clock_signal;
    Questions questions;
    Commands commands;
    ControlServer control;
    std::set<bus::AgentId> ready;
    scheduler::SchedulerAgent scheduler;
    router::RouterAgent router;
    telemetry::TelemetryAgent telemetry;
    egress::EgressAgent egress;
    storage::StorageAgent storage;
    ingress::IngressAgent ingress;
};

void Node::Modules::handle(const bus::Message &message) {
    std::visit(
        [this](const auto &answer) {
            if constexpr (requires { questions.handle(answer); }) questions.handle(answer);
        },
        message);
    const auto *module = std::get_if<bus::ModuleReady>(&message);
    if (module == nullptr) return;
    ready.insert(module->module);
    if (module->module == bus::AgentId::kIngress && ingress.failed()) {
        failed = true;
        supervisor.stop();
    } else if (ready.size() == bus::kAgentCount - 1) {
        announce();
    }
}

void Node::Modules::announce() {
    std::string ports;
    std::string addresses;
    for (std::size_t i = 0; i < ingress.ports().size(); ++i) {
        const config::LinkUrl &url = config.inducts[i].url;
        const std::string port = std::to_string(ingress.ports()[i]);
        ports += (i == 0 ? "" : ",") + port;
        addresses += " " + url.scheme + "://" + url.host + ":" + port;
    }
    if (wants_tls(config)) log.info("TLS: AES-GCM by {}", cla::TlsLibrary::instance().gcm());
    log.info("ready: node {} listens on{}", config.node.value(), addresses);
    if (!print_counters) return;
    std::printf("{\"ready\":true,\"ports\":[%s]}\n", ports.c_str());
    std::fflush(stdout);
    // The counters follow this line, never precede it.
    supervisor.send(bus::AgentId::kTelemetry, bus::ModuleReady{bus::AgentId::kSupervisor});
}

// The operator says that the clock is right.
void Node::Modules::wait_for_clock() {
    clock_signal.async_wait([this](const boost::system::error_code &error, int) {
        if (error) return;
        log.info("the clock is confirmed");
        confirm_clock();
        wait_for_clock();
    });
}

void Node::Modules::confirm_clock() {
    for (const bus::AgentId module :
         {bus::AgentId::kIngress, bus::AgentId::kStorage, bus::AgentId::kEgress})
        supervisor.send(module, bus::ClockConfirm{});
}

bool Node::Modules::open_control() {
    if (config.control_socket.empty()) return true;
    const std::string wrong = control.open();
    if (!wrong.empty()) log.error("the control socket: {}", wrong);
    return wrong.empty();
}

void Node::Modules::supervise() {
    wait_for_clock();
    signals.async_wait([this](const boost::system::error_code &error, int signal) {
        if (error) return;
        log.info("stopping on {}", signal == SIGINT ? "SIGINT" : "SIGTERM");
        supervisor.stop();
    });
    supervisor.run();
}

void Node::Modules::stop(bus::AgentId module, std::thread &thread) {
    supervisor.send(module, bus::Stop{.drain = false});
    thread.join();
}

Node::Node(const config::NodeConfig &config, PlanKeeper &plan, const Options &options)
    : modules_(std::make_unique<Modules>(config, plan, options)) {}

Node::~Node() = default;

int Node::run() {
    Modules &modules = *modules_;
    if (!modules.open_control() || !modules.storage.open()) return kExitFailed;
    modules.ingress.judge_clock(modules.storage.newest_received());
    modules.egress.judge_clock(modules.storage.newest_received());
    std::thread telemetry([&] { modules.telemetry.run(); });
    std::thread scheduler([&] { modules.scheduler.run(); });
    std::thread router([&] { modules.router.run(); });
    std::thread egress([&] { modules.egress.run(); });
    std::thread storage([&] { modules.storage.run(); });
    std::thread ingress([&] { modules.ingress.run(); });

    modules.supervise();

    // Links close first, and give back what they have not begun; then the modules end with the
    // stream: what comes in, what keeps it, what sends it.
    modules.supervisor.send(bus::AgentId::kEgress, bus::Stop{.drain = true});
    modules.stop(bus::AgentId::kIngress, ingress);
    modules.stop(bus::AgentId::kStorage, storage);
    modules.stop(bus::AgentId::kEgress, egress);
    modules.stop(bus::AgentId::kRouter, router);
    modules.stop(bus::AgentId::kScheduler, scheduler);
    modules.stop(bus::AgentId::kTelemetry, telemetry);

    const telemetry::Ledger ledger = modules.telemetry.ledger();
    std::fputs(ledger.to_table().c_str(), stderr);
    if (!ledger.balanced()) modules.log.error("the ledger does not balance");
    return modules.failed || !ledger.balanced() ? kExitFailed : kExitClean;
}

}  // namespace farlink::app
