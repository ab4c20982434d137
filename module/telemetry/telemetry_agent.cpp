// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/telemetry_agent.hpp"

#include "common/bus/telemetry_reports.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::telemetry {
namespace {

/// All modules report when a second begins; what they say is printed when it has arrived.
constexpr milliseconds kReportsArrive{50};
/// How long the last reports of modules that have ended may be on their way.
constexpr seconds kStopLimit{2};

}  // namespace

TelemetryAgent::TelemetryAgent(bus::BusContext &context, bool print_counters,
                               std::span<const FamilyLabels> labels)
    : print_counters_(print_counters),
      loop_(context, bus::AgentId::kTelemetry, {},
            {[this](bus::Message message) { handle(std::move(message)); }, [] {},
             [this] { on_timeout(); }, [this] { on_second(); }}),
      core_(labels) {}

void TelemetryAgent::run() {
    tell_ready();
    loop_.run();
    print();
}

void TelemetryAgent::tell_ready() {
    loop_.send(bus::AgentId::kSupervisor, bus::ModuleReady{.module = bus::AgentId::kTelemetry});
}

void TelemetryAgent::handle(bus::Message message) {
    if (bus::is_back(message, bus::AgentId::kSupervisor)) tell_ready();
    if (auto *report = std::get_if<bus::CounterReport>(&message))
        handle_report(std::move(*report));
    else if (handle_figures(message))
        return;
    else if (std::holds_alternative<bus::ModuleReady>(message))
        node_ready_ = true;
    else if (const auto *lost = std::get_if<bus::ModuleLost>(&message))
        handle_lost(lost->module);
    else if (std::holds_alternative<bus::Stop>(message))
        handle_stop();
}

bool TelemetryAgent::handle_figures(bus::Message &message) {
    return std::visit(
        [this](auto &data) {
            if constexpr (requires { core_.handle(std::move(data)); }) {
                core_.handle(std::move(data));
                return true;
            }
            return false;
        },
        message);
}

// One that ends as it should says so in its last report.
void TelemetryAgent::handle_lost(bus::AgentId module) {
    if (reporting_.erase(module) == 0) return;
    core_.handle_death(module);
    if (stop_deadline_ != kNever && reporting_.empty()) loop_.stop();
}

void TelemetryAgent::handle_report(bus::CounterReport report) {
    if (report.last)
        reporting_.erase(report.module);
    else
        reporting_.insert(report.module);
    core_.handle(std::move(report));
    if (stop_deadline_ != kNever && reporting_.empty()) loop_.stop();
}

// The others have ended, and what they have said last may have come another way than this message.
void TelemetryAgent::handle_stop() {
    stop_deadline_ = monotonic_now() + kStopLimit;
    loop_.arm(stop_deadline_);
    if (reporting_.empty()) loop_.stop();
}

void TelemetryAgent::on_second() {
    if (const auto report = bus::report_process(bus::AgentId::kTelemetry)) core_.handle(*report);
    if (stop_deadline_ == kNever) loop_.arm(monotonic_now() + kReportsArrive);
}

void TelemetryAgent::on_timeout() {
    if (monotonic_now() >= stop_deadline_) return loop_.stop();
    print();
}

void TelemetryAgent::print() {
    if (!print_counters_ || !node_ready_) return;
    const std::string line = core_.to_json_line() + "\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

}  // namespace farlink::telemetry
