// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/node.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "apps/farlink/agents.hpp"
#include "apps/farlink/reload_source.hpp"
#include "cla/tls/gcm/tls_library.hpp"
#include "common/base/counted.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/log_format.hpp"
#include "common/runtime/process/current_work.hpp"
#include "module/control/control_agent.hpp"
#include "module/control/process/worker_process.hpp"

namespace farlink::app {
namespace {

/// A line names the processes that are missing after this time, and then again.
constexpr seconds kLogAfter{2};
constexpr seconds kLogAgain{30};
constexpr milliseconds kMeetingTurn{50};
/// How long a node that has all other modules waits for telemetry, which counts from the start.
constexpr seconds kTelemetryLimit{2};
/// A module whose loop has not turned for so long is stuck: the watchdog of the service manager
/// gets no heartbeat.
constexpr seconds kStuckAfter{10};

}  // namespace

// Destroyed from the bottom up: the agents, the controller's port, the bus.
struct Node::Parts {
    Parts(const config::NodeConfig &config, control::PlanStore &plan, const Options &options,
          const ModuleChoice &choice, bus::BusTopology topology);

    [[nodiscard]] std::optional<int> meet_others();
    [[nodiscard]] bool alive() const;
    [[nodiscard]] int close();

    const std::set<bus::AgentId> here;
    const bool supervises;
    std::set<bus::AgentId> ended;
    Logger log{"farlink"};
    bus::BusContext context;
    std::unique_ptr<control::ProcessController> controller;
    Agents agents;
};

namespace {

bool wants_tls(const config::NodeConfig &config) {
    const auto wants = [](const config::LinkOptions &link) {
        return link.tls.mode != config::TlsMode::kNone;
    };
    return std::ranges::any_of(config.inducts, wants) ||
           std::ranges::any_of(config.outducts, wants);
}

/// `later`: the addresses at which it does not listen yet. Each has a space before it.
std::string where_it_listens(const std::string &listening, const std::string &later) {
    if (listening.empty() && later.empty()) return " has no inducts";
    const std::string now = " listens on" + (listening.empty() ? " no address yet" : listening);
    if (later.empty()) return now;
    return now + "; it will listen on" + later +
           " when the reserve of the store is complete, for which its disk lacks space now";
}

/// The lines of a node whose modules are ready.
void announce(const config::NodeConfig &config, bool print_counters,
              const std::vector<std::uint16_t> &ports, const std::set<std::uint16_t> &waiting) {
    const Logger log("farlink");
    nlohmann::ordered_json listed = nlohmann::ordered_json::array();
    std::string listening;
    std::string later;
    for (std::size_t i = 0; i < std::min(ports.size(), config.inducts.size()); ++i) {
        config::LinkUrl url = config.inducts[i].url;
        url.port = ports[i];
        listed.push_back(ports[i]);
        std::string &addresses =
            waiting.contains(static_cast<std::uint16_t>(i)) ? later : listening;
        addresses += " " + url.scheme + "://" + config::authority_of(url);
    }
    if (wants_tls(config))
        log.info("TLS: AES-GCM implemented by {}", cla::TlsLibrary::instance().gcm());
    log.info("ready: node {}{}", config.node.value(), where_it_listens(listening, later));
    if (!print_counters) return;
    const nlohmann::ordered_json line{{"ready", true}, {"ports", std::move(listed)}};
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
}

std::unique_ptr<control::ProcessController> make_controller(const config::NodeConfig &config,
                                                            control::PlanStore &plan,
                                                            const Options &options,
                                                            const ModuleChoice &choice,
                                                            bus::BusContext &context) {
    if (!choice.has(bus::AgentId::kSupervisor))
        return std::make_unique<control::WorkerProcess>(context, choice.modules());
    const auto on_ready = [&config, counters = options.print_counters](const auto &ports,
                                                                       const auto &waiting) {
        announce(config, counters, ports, waiting);
    };
    return std::make_unique<control::ControlAgent>(
        config, plan, choice.modules(), context, on_ready,
        control::ControlAgent::Reloading{reload_source(options, choice), options.log_levels});
}

std::string in_words(const std::vector<bus::AgentId> &modules) {
    std::string words;
    for (const bus::AgentId module : modules)
        words += (words.empty() ? "" : ", ") + std::string(bus::name_of(module));
    return words;
}

}  // namespace

Node::Parts::Parts(const config::NodeConfig &config, control::PlanStore &plan,
                   const Options &options, const ModuleChoice &choice, bus::BusTopology topology)
    : here(choice.modules()),
      supervises(choice.has(bus::AgentId::kSupervisor)),
      context(std::move(topology)),
      controller(make_controller(config, plan, options, choice, context)),
      agents(config, plan, options, choice, context) {}

// The processes of a node start in any order. Bundles need no telemetry: only the process that
// announces the node waits for it, for a while. Returns an exit code when the node does not start.
std::optional<int> Node::Parts::meet_others() {
    TimePoint log_at = monotonic_now() + kLogAfter;
    TimePoint go_on = monotonic_now() + kTelemetryLimit;
    for (;;) {
        const bus::BusContext::Meeting meeting = context.meet(kMeetingTurn);
        if (meeting.complete()) return std::nullopt;
        if (!meeting.mismatch.empty()) {
            log.error("{}", meeting.mismatch);
            return kExitMismatch;
        }
        if (meeting.stopped) {
            controller->withdraw();
            return kExitClean;
        }
        controller->io().poll();
        if (controller->stop_requested()) return kExitClean;
        if (meeting.awaited == std::vector{bus::AgentId::kTelemetry}) {
            if (!supervises || monotonic_now() >= go_on) {
                context.go_on();
                controller->handle_missing(bus::AgentId::kTelemetry);
                return std::nullopt;
            }
        } else {
            go_on = monotonic_now() + kTelemetryLimit;
        }
        if (monotonic_now() < log_at) continue;
        log.info("waiting for the processes of other modules: {}", in_words(meeting.awaited));
        log_at = monotonic_now() + kLogAgain;
    }
}

// Every module of this process has turned its loop lately.
bool Node::Parts::alive() const {
    const TimePoint since = monotonic_now() - kStuckAfter;
    return std::ranges::all_of(here, [&](bus::AgentId module) {
        return context.last_beat(module) > since || ended.contains(module);
    });
}

int Node::Parts::close() {
    agents.join();
    const auto ledger = agents.ledger();
    if (ledger && log_format() != LogFormat::kJson)
        std::fputs(ledger->to_table().c_str(), stderr);
    else if (ledger)  // each line of the log is one JSON object
        log.info("{}", ledger->to_table());
    const bool balanced = !ledger || ledger->balanced() || !ledger->complete();
    if (!balanced)
        log.error(
            "the ledger does not balance: {} came in; accounted for: {}; report this as a "
            "defect",
            counted(ledger->left(), "bundle"), counted(ledger->right(), "bundle"));
    return controller->failed() || !balanced ? kExitFailed : kExitClean;
}

Node::Node(const config::NodeConfig &config, control::PlanStore &plan, const Options &options,
           const ModuleChoice &choice, bus::BusTopology topology)
    : parts_(std::make_unique<Parts>(config, plan, options, choice, std::move(topology))) {}

Node::~Node() = default;

int Node::run() {
    Parts &parts = *parts_;
    if (!parts.context.fault().empty()) {
        parts.log.error("{}", parts.context.fault());
        return kExitFailed;
    }
    if (!parts.controller->open()) return kExitFailed;
    if (const auto code = parts.meet_others()) return *code;
    if (!parts.agents.open()) {
        parts.controller->give_up();
        return kExitFailed;
    }
    parts.agents.start(parts.controller->io(), [&parts](bus::AgentId module) {
        parts.ended.insert(module);
        parts.controller->handle_ended(module);
    });
    ServiceWatchdog watchdog(parts.controller->io(), parts.controller->service(),
                             [&parts] { return parts.alive(); });
    watchdog.start();
    const CurrentWork work("running the supervisor");
    parts.controller->serve();
    return parts.close();
}

}  // namespace farlink::app
