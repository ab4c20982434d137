// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/telemetry_agent.hpp"

#include "common/runtime/clock.hpp"

namespace farlink::telemetry {
namespace {

/// All modules report when a second begins; what they say is printed when it has arrived.
constexpr milliseconds kReportsArrive{50};

}  // namespace

TelemetryAgent::TelemetryAgent(bus::BusContext &context, bool print_counters,
                               std::span<const FamilyLabels> labels)
    : print_counters_(print_counters),
      loop_(context, bus::AgentId::kTelemetry, {},
            {[this](bus::Message message) { handle(std::move(message)); }, [] {},
             [this] { print(); }, [this] { loop_.arm(monotonic_now() + kReportsArrive); }}),
      core_(labels) {}

void TelemetryAgent::run() {
    loop_.send(bus::AgentId::kSupervisor, bus::ModuleReady{bus::AgentId::kTelemetry});
    loop_.run();
    print();
}

void TelemetryAgent::handle(bus::Message message) {
    if (auto *report = std::get_if<bus::CounterReport>(&message))
        core_.handle(std::move(*report));
    else if (auto *link = std::get_if<bus::LinkReport>(&message))
        core_.handle(std::move(*link));
    else if (std::holds_alternative<bus::ModuleReady>(message))
        node_ready_ = true;
    else if (std::holds_alternative<bus::Stop>(message))
        loop_.stop();
}

void TelemetryAgent::print() {
    if (!print_counters_ || !node_ready_) return;
    const std::string line = core_.to_json_line() + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

}  // namespace farlink::telemetry
