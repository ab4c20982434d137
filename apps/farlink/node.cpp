// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/node.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string>

#include "apps/farlink/agents.hpp"
#include "apps/farlink/supervisor.hpp"
#include "apps/farlink/worker_process.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/log_format.hpp"

namespace farlink::app {
namespace {

/// How long the others may take to start before a line tells who is waited for, and then again.
constexpr seconds kPublishAfter{2};
constexpr seconds kPublishAgain{30};
constexpr milliseconds kMeetingTurn{50};
/// How long a node that has all but telemetry waits for that: it is to count from the beginning.
constexpr seconds kTelemetryLimit{2};
/// A module whose loop has not turned for so long is stuck, and a service manager's watchdog is not
/// told that all is well.
constexpr seconds kStuckAfter{10};

}  // namespace

// Destroyed from the bottom up: the agents, the overseer's port, the bus.
struct Node::Parts {
    Parts(const config::NodeConfig &config, ContactPlanStore &plan, const Options &options,
          const ModuleChoice &choice, bus::BusTopology topology);

    [[nodiscard]] std::optional<int> meet_others();
    [[nodiscard]] bool alive() const;
    [[nodiscard]] int close();

    const std::set<bus::AgentId> here;
    const bool supervises;
    std::set<bus::AgentId> ended;
    Logger log{"farlink"};
    bus::BusContext context;
    std::unique_ptr<ProcessController> controller;
    Agents agents;
};

namespace {

std::unique_ptr<ProcessController> make_overseer(const config::NodeConfig &config,
                                                 ContactPlanStore &plan, const Options &options,
                                                 const ModuleChoice &choice,
                                                 bus::BusContext &context) {
    if (choice.has(bus::AgentId::kSupervisor))
        return std::make_unique<Supervisor>(config, plan, options, choice, context);
    return std::make_unique<WorkerProcess>(context, choice);
}

std::string in_words(const std::vector<bus::AgentId> &modules) {
    std::string words;
    for (const bus::AgentId module : modules)
        words += (words.empty() ? "" : ", ") + std::string(bus::name_of(module));
    return words;
}

}  // namespace

Node::Parts::Parts(const config::NodeConfig &config, ContactPlanStore &plan, const Options &options,
                   const ModuleChoice &choice, bus::BusTopology topology)
    : here(choice.modules()),
      supervises(choice.has(bus::AgentId::kSupervisor)),
      context(std::move(topology)),
      controller(make_overseer(config, plan, options, choice, context)),
      agents(config, plan, options, choice, context) {}

// The processes of a node may be started in any order. Bundles need no telemetry, so that one is
// not waited for, but for a while by who says that the node is ready. An exit code: it does not
// come to a start.
std::optional<int> Node::Parts::meet_others() {
    TimePoint publish = monotonic_now() + kPublishAfter;
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
        if (monotonic_now() < publish) continue;
        log.info("waiting for {}", in_words(meeting.awaited));
        publish = monotonic_now() + kPublishAgain;
    }
}

// Every module here has turned its loop not long ago.
bool Node::Parts::alive() const {
    const TimePoint since = monotonic_now() - kStuckAfter;
    return std::ranges::all_of(here, [&](bus::AgentId module) {
        return context.last_beat(module) > since || ended.contains(module);
    });
}

int Node::Parts::close() {
    agents.join();
    const auto ledger = controller->began() ? agents.ledger() : std::nullopt;
    if (ledger && log_format() == LogFormat::kText)
        std::fputs(ledger->to_table().c_str(), stderr);
    else if (ledger)  // a program reads each line
        log.info("{}", ledger->to_table());
    const bool balanced = !ledger || ledger->balanced() || !ledger->complete();
    if (!balanced) log.error("the ledger does not balance");
    return controller->failed() || !balanced ? kExitFailed : kExitClean;
}

Node::Node(const config::NodeConfig &config, ContactPlanStore &plan, const Options &options,
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
    parts.controller->serve();
    return parts.close();
}

}  // namespace farlink::app
