// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/shutdown.hpp"

#include <algorithm>
#include <utility>

namespace farlink::control {

using bus::AgentId;

Shutdown::Shutdown(const ModuleSupervision &modules, std::set<AgentId> here, Send send)
    : modules_(modules), here_(std::move(here)), send_(std::move(send)) {}

void Shutdown::begin(TimePoint now) {
    if (std::exchange(begun_, true)) return;
    stop_by_ = now + kNodeLimit;
    send_(AgentId::kTelemetry, bus::Stop{.drain = true});
    for (const AgentId module : modules_.modules())
        if (bus::is_egress(module) || module == AgentId::kStorage ||
            module == AgentId::kApplications)
            send_(module, bus::Stop{.drain = true});
    stop_next(now);
}

void Shutdown::begin_without_local(TimePoint now) {
    ended_ = here_;
    begin(now);
}

void Shutdown::stop_next(TimePoint now) {
    const std::vector<AgentId> &order = modules_.modules();
    const auto gone = [this](AgentId module) {
        return ended_.contains(module) || modules_.is_lost(module);
    };
    limit_ = kNever;
    while (next_ < order.size() && gone(order[next_])) ++next_;
    if (next_ == order.size()) return;
    send_(order[next_], bus::Stop{.drain = false});
    // A process that has died confirms nothing.
    if (!here_.contains(order[next_]))
        limit_ = now + std::clamp<Duration>(stop_by_ - now, seconds(1), kModuleLimit);
}

void Shutdown::handle_ended(AgentId module, TimePoint now) {
    const std::vector<AgentId> &order = modules_.modules();
    const bool expected = begun_ && next_ < order.size() && order[next_] == module;
    ended_.insert(module);
    if (expected) stop_next(now);
}

void Shutdown::handle_back(AgentId module) {
    if (begun_ && !ended_.contains(module)) send_(module, bus::Stop{.drain = false});
}

std::optional<AgentId> Shutdown::handle_timeout(TimePoint now) {
    if (limit_ > now) return std::nullopt;
    const AgentId module = modules_.modules()[next_];
    handle_ended(module, now);
    return module;
}

}  // namespace farlink::control
