// SPDX-License-Identifier: Apache-2.0
#include "module/router/router_agent.hpp"

#include "common/bus/dispatch.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::router {
namespace {

std::vector<OutductEntry> outduct_entries(const config::NodeConfig &config) {
    std::vector<OutductEntry> entries;
    for (const config::OutductConfig &outduct : config.outducts)
        entries.push_back({outduct.id, outduct.next_hop});
    return entries;
}

}  // namespace

RouterAgent::RouterAgent(const config::NodeConfig &config, bus::BusContext &context)
    : loop_(context, bus::AgentId::kRouter, {bus::AgentId::kScheduler},
            {[this](bus::Message message) { handle(std::move(message)); },
             [this] { drain_outputs(); }, [this] { core_.handle_timeout(monotonic_now()); },
             [this] { core_.set_wall_clock(read_wall_clock(), monotonic_now()); }}),
      core_({config.node, outduct_entries(config), unix_nanoseconds(), read_wall_clock(), true}) {}

void RouterAgent::run() {
    publish_ready();
    loop_.run();
}

void RouterAgent::publish_ready() {
    loop_.send(bus::AgentId::kSupervisor, bus::ModuleReady{.module = bus::AgentId::kRouter});
}

void RouterAgent::handle(bus::Message message) {
    static_assert(bus::kListsHandlersOf<bus::RouterMessages, RouterCore>);
    const TimePoint now = monotonic_now();
    bus::dispatch<bus::RouterMessages>(message, [&](const auto &data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, bus::Stop>) {
            loop_.stop();
        } else if constexpr (std::is_same_v<Data, bus::ModuleBack>) {
            if (data.module == bus::AgentId::kSupervisor) publish_ready();
        } else {
            core_.handle(data, now);
        }
    });
}

void RouterAgent::drain_outputs() {
    while (auto outgoing = core_.poll_message()) loop_.send(std::move(*outgoing));
    loop_.arm(core_.next_timeout());
}

}  // namespace farlink::router
