// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/agents.hpp"

#include <array>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cla/api/link_fault.hpp"
#include "common/bp/bpsec/block/fault.hpp"
#include "common/runtime/process/current_work.hpp"
#include "common/runtime/process/processors.hpp"

namespace farlink::app {
namespace {

using bus::AgentId;

template <class Enum>
std::vector<std::string_view> names_of_all() {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Enum::kCount_); ++i)
        names.push_back(to_string(static_cast<Enum>(i)));
    return names;
}

/// "0", "1" and so on; the last one counts for all that follow.
std::vector<std::string_view> places_of_rules() {
    static const std::vector<std::string> numbers = [] {
        std::vector<std::string> made;
        for (std::size_t i = 0; i < telemetry::kSecurityRules; ++i)
            made.push_back(std::to_string(i));
        return made;
    }();
    return {numbers.begin(), numbers.end()};
}

/// The names of link faults, protocol deviations, faults of BPSec and LTP counts in labels.
std::span<const telemetry::FamilyLabels> link_labels() {
    static const auto faults = names_of_all<cla::LinkFault>();
    static const auto deviations = names_of_all<cla::ProtocolDeviation>();
    static const auto security = names_of_all<bp::bpsec::Fault>();
    static const auto rules = places_of_rules();
    static const std::array<telemetry::FamilyLabels, 7> labels{
        {{"ingress_link_fault", faults},
         {"ingress_security_fault", security},
         {"ingress_security_rule", rules},
         {"ingress_departure", deviations},
         {"egress_link_fault", faults},
         {"egress_departure", deviations},
         {"departure", deviations}}};
    return labels;
}

/// The folder of the dashboard, beside the programs or in the build folder; empty: there is none.
std::string webui_folder() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto programs = program.parent_path();
    for (const char *place : {"../share/farlink/webui", "../webui"})
        if (std::filesystem::is_regular_file(programs / place / "index.html", error))
            return (programs / place).lexically_normal().string();
    return {};
}

telemetry::TelemetryOptions telemetry_options(const config::NodeConfig &config,
                                              const Options &options) {
    return {options.print_counters, link_labels(), &config, FARLINK_VERSION, webui_folder()};
}

}  // namespace

Agents::Agents(const config::NodeConfig &config, const control::PlanStore &plan,
               const Options &options, const ModuleChoice &choice, bus::BusContext &context)
    : config_(config), here_(choice.modules()) {
    const CurrentWork work("making the modules");
    if (choice.has(AgentId::kScheduler)) {
        std::optional<std::vector<bus::Contact>> contacts;
        if (plan.plan()) contacts = plan.window().contacts(*plan.plan());
        scheduler_.emplace(config, std::move(contacts), context);
    }
    if (choice.has(AgentId::kRouter)) router_.emplace(config, context);
    if (choice.has(AgentId::kTelemetry))
        telemetry_.emplace(context, telemetry_options(config, options));
    if (choice.has(AgentId::kStorage)) storage_.emplace(config, context);
    if (choice.has(AgentId::kApplications)) applications_.emplace(config, context);
    for (const AgentId module : here_) {
        const CurrentWork of_one("making module", bus::name_of(module));
        if (bus::is_egress(module))
            egress_.push_back(
                {module, std::make_unique<egress::EgressAgent>(config, context, module)});
        if (bus::is_ingress(module))
            ingress_.push_back(
                {module, std::make_unique<ingress::IngressAgent>(config, context, module)});
    }
}

Agents::~Agents() = default;

bool Agents::open() {
    for (const AgentId module : here_) {
        const auto processor = processor_of(module);
        if (!processor || has_processor(*processor)) continue;
        log_.error(
            "threads.processors.{}: found processor {}; expected a processor that this process may "
            "use",
            bus::name_of(module), *processor);
        return false;
    }
    return !storage_ || storage_->open();
}

std::optional<std::uint32_t> Agents::processor_of(AgentId module) const {
    return config_.threads.processors[static_cast<std::size_t>(module)];
}

template <class Agent>
void Agents::run(Agent &agent, AgentId module, boost::asio::io_context &io,
                 const OnEnded &on_ended) {
    const CurrentWork work("starting module", bus::name_of(module));
    threads_.emplace_back([this, &agent, &io, on_ended, module] {
        const CurrentWork running("running module", bus::name_of(module));
        const auto processor = processor_of(module);
        if (processor && !run_on_processor(*processor))
            log_.error(
                "module {}: cannot run on processor {} (threads.processors); the system chooses "
                "the processor",
                bus::name_of(module), *processor);
        agent.run();
        boost::asio::post(io, [on_ended, module] { on_ended(module); });
    });
}

void Agents::start(boost::asio::io_context &io, const OnEnded &on_ended) {
    if (telemetry_) run(*telemetry_, AgentId::kTelemetry, io, on_ended);
    if (scheduler_) run(*scheduler_, AgentId::kScheduler, io, on_ended);
    if (router_) run(*router_, AgentId::kRouter, io, on_ended);
    for (const auto &each : egress_) run(*each.agent, each.module, io, on_ended);
    if (storage_) run(*storage_, AgentId::kStorage, io, on_ended);
    if (applications_) run(*applications_, AgentId::kApplications, io, on_ended);
    for (const auto &each : ingress_) run(*each.agent, each.module, io, on_ended);
}

void Agents::join() {
    for (std::thread &thread : threads_) thread.join();
}

std::optional<telemetry::Ledger> Agents::ledger() const {
    if (!telemetry_) return std::nullopt;
    return telemetry_->ledger();
}

}  // namespace farlink::app
