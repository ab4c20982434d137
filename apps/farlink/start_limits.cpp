// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/start_limits.hpp"

#include <algorithm>

#include "common/history/file/open_history.hpp"
#include "common/runtime/process/process_limits.hpp"

namespace farlink::app {
namespace {

using bus::AgentId;

bool writes_history(AgentId module) {
    return bus::is_ingress(module) || bus::is_egress(module) || module == AgentId::kStorage ||
           module == AgentId::kApplications;
}

ProcessNeeds needs_of(const config::NodeConfig &config, const ModuleChoice &choice) {
    const auto here = choice.modules();
    const std::size_t all =
        bus::modules_with(config.threads.instances, config.applications.wanted()).size();
    ProcessNeeds needs;
    needs.modules = here.size();
    if (choice.has_any(AgentId::kIngress)) needs.links += config.inducts.size();
    if (choice.has_any(AgentId::kEgress)) needs.links += config.outducts.size();
    if (choice.has(AgentId::kStorage)) needs.disks = config.storage.disks.size();
    // The supervisor has connections as well.
    const bool supervises = choice.has(AgentId::kSupervisor);
    const std::size_t elsewhere = all - here.size();
    if (elsewhere > 0)
        needs.connections =
            supervises ? (here.size() + 1) * elsewhere : here.size() * (elsewhere + 1);
    needs.mapped_bytes = static_cast<std::uint64_t>(std::ranges::count_if(here, writes_history)) *
                         history::mapped_bytes(config);
    return needs;
}

}  // namespace

std::optional<std::string> find_shortage_of(const config::NodeConfig &config,
                                            const ModuleChoice &choice, bool isolate) {
    const ProcessLimits limits = take_process_limits();
    if (!isolate) return find_shortage(limits, needs_of(config, choice));
    for (const AgentId module : choice.modules()) {
        auto alone = read_modules(bus::name_of(module));
        if (!alone || !alone->limit_to(config.threads.instances, config.applications.wanted()))
            continue;
        if (const auto shortage = find_shortage(limits, needs_of(config, *alone)))
            return "module " + std::string(bus::name_of(module)) + ": " + *shortage;
    }
    return std::nullopt;
}

}  // namespace farlink::app
