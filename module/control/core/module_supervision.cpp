// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/module_supervision.hpp"

#include <algorithm>

#include "common/base/endpoint_links.hpp"
#include "common/config/node/bus_config.hpp"

namespace farlink::control {
namespace {

using bus::AgentId;

std::vector<AgentId> in_stop_order(std::size_t instances, bool applications) {
    std::vector<AgentId> order;
    const auto add_all = [&](AgentId role) {
        for (std::size_t at = instances; at-- > 0;) order.push_back(bus::instance_at(role, at));
    };
    add_all(AgentId::kIngress);
    order.push_back(AgentId::kStorage);
    add_all(AgentId::kEgress);
    if (applications) order.push_back(AgentId::kApplications);
    order.insert(order.end(), {AgentId::kRouter, AgentId::kScheduler, AgentId::kTelemetry});
    return order;
}

}  // namespace

ModuleSupervision::ModuleSupervision(std::size_t instances, bool applications)
    : modules_(in_stop_order(instances, applications)) {}

std::vector<AgentId> ModuleSupervision::modules_without(const std::set<AgentId> &here) const {
    std::vector<AgentId> elsewhere;
    for (const AgentId module : modules_)
        if (!here.contains(module)) elsewhere.push_back(module);
    return elsewhere;
}

std::string_view ModuleSupervision::state_of(AgentId module) const {
    if (lost_.contains(module) && !lost_at_stop_.contains(module)) return "lost";
    if (heartbeats_.silent(module)) return "silent";
    if (stopping_) return "stopping";
    return ready_.contains(module) ? "ready" : "starting";
}

std::string ModuleSupervision::silence_of(AgentId module) const {
    const int silent = is_lost(module) ? 0 : heartbeats_.silent_seconds(module);
    if (silent == 0) return {};
    return "module " + std::string(config::kModuleNames[static_cast<std::size_t>(module)]) +
           " has been silent for " + std::to_string(silent) + " s";
}

std::string ModuleSupervision::silence() const {
    for (const AgentId module : modules_)
        if (std::string words = silence_of(module); !words.empty()) return words;
    return {};
}

// A session that a neighbour has opened is carried by ingress, for egress.
std::string ModuleSupervision::silence_on(LinkId link,
                                          const config::LinkPlacement &placement) const {
    if (is_endpoint_link(link)) return silence_of(AgentId::kApplications);
    const std::size_t instance = placement.instance_of(link);
    std::string words = silence_of(bus::instance_at(AgentId::kEgress, instance));
    if (!words.empty() || link.value() < config::kFirstOpenedLink) return words;
    return silence_of(bus::instance_at(AgentId::kIngress, instance));
}

bool ModuleSupervision::complete() const {
    const std::size_t missing = is_lost(AgentId::kTelemetry) ? 1 : 0;
    return ready_.size() + missing == modules_.size();
}

// A module that was missed may be ready without a ModuleBack: it connected in time.
void ModuleSupervision::handle_ready(AgentId module) {
    lost_.erase(module);
    ready_.insert(module);
}

void ModuleSupervision::handle_lost(AgentId module) {
    ready_.erase(module);
    if (lost_.insert(module).second && stopping_) lost_at_stop_.insert(module);
    heartbeats_.forget(module);
}

std::vector<ModuleSupervision::SilenceChange> ModuleSupervision::handle_second(
    const std::function<TimePoint(AgentId)> &last_heartbeat) {
    std::vector<SilenceChange> changes;
    if (stopping_) return changes;
    for (const AgentId module : ready_)
        if (heartbeats_.watch(module, last_heartbeat(module)))
            changes.push_back({module, heartbeats_.silent(module)});
    return changes;
}

void ModuleSupervision::note_ports(const std::vector<std::uint16_t> &ports) {
    ports_.resize(std::max(ports_.size(), ports.size()));
    for (std::size_t at = 0; at < ports.size(); ++at)
        if (ports[at] != 0) ports_[at] = ports[at];
}

// Inducts of the configuration keep their place; 0: it was removed.
void ModuleSupervision::handle(const bus::LinkChangeResult &result) {
    if (result.error.empty() && result.link.value() < ports_.size())
        ports_[result.link.value()] = result.port;
}

}  // namespace farlink::control
