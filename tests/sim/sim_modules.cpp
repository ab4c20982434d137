// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_modules.hpp"

#include <algorithm>

namespace farlink::sim {
namespace {

using bus::AgentId;

template <class Outduct>
std::vector<Outduct> outduct_entries(const config::NodeConfig &config) {
    std::vector<Outduct> entries;
    for (const config::OutductConfig &outduct : config.outducts) {
        entries.push_back({outduct.id, outduct.next_hop});
        if constexpr (requires { entries.back().cuts_to_contact; })
            entries.back().cuts_to_contact = outduct.fragment_to_contact;
    }
    return entries;
}

storage::LogOptions log_options(const NodeOptions &options) {
    storage::LogOptions log;
    log.node = options.number;
    log.segment_bytes = 4 * 1024 * 1024;
    store_be(log.fresh_key.data(), options.seed);
    return log;
}

}  // namespace

SimModules::SimModules(const NodeOptions &options, const config::NodeConfig &config,
                       farlink::test::SimDirectory &directory, WallClock clock, std::uint64_t life,
                       Random &random)
    : pool(kSlabBytes, options.buffer_bytes),
      storage(config.storage, false, clock, storage::release_limits(config),
              {options.takes_custody ? config.node : NodeNumber{}, config.custody}),
      ingress(config, pool, clock, life << 40),
      router({config.node, outduct_entries<router::OutductEntry>(config), life, clock}),
      scheduler({config.node, outduct_entries<scheduler::OutductEntry>(config), options.plan, life,
                 clock}),
      disk(directory, log_options(options), options.disk_speed),
      egress(config.node, config.outducts, clock),
      messages(random, options.event_loss_ppm),
      routing_(config.routing) {
    subscribe(AgentId::kIngress, {AgentId::kScheduler, AgentId::kRouter});
    subscribe(AgentId::kEgress, {AgentId::kScheduler});
    subscribe(AgentId::kStorage, {AgentId::kScheduler, AgentId::kRouter});
    subscribe(AgentId::kRouter, {AgentId::kScheduler});
}

void SimModules::subscribe(AgentId subscriber, const std::vector<AgentId> &publishers) {
    for (const AgentId publisher : publishers) messages.subscribe(subscriber, publisher);
    filters.emplace(subscriber, bus::EventFilter(publishers));
}

void SimModules::start() {
    storage.set_policies(routing_);
    egress.set_added_hop_limit(routing_.add_hop_limit);
    const auto recovery =
        disk.open([this](const RestoredRecord &record) { storage.restore(0, record); });
    FARLINK_INVARIANT(recovery.has_value());
    storage.handle_opened(recovery->key);
    ingress.judge_clock(storage.newest_received());
    egress.judge_clock(storage.newest_received());
    for (const AgentId agent :
         {AgentId::kIngress, AgentId::kEgress, AgentId::kStorage, AgentId::kRouter})
        ask_for_snapshots(agent);
}

void SimModules::set_wall_clock(WallClock reading, TimePoint now) {
    ingress.set_wall_clock(reading);
    egress.set_wall_clock(reading);
    storage.clock().handle_reading(reading);
    scheduler.set_wall_clock(reading, now);
    router.set_wall_clock(reading, now);
}

// ---- the bus

void SimModules::ask_for_snapshots(AgentId subscriber) {
    const auto filter = filters.find(subscriber);
    if (filter == filters.end()) return;
    while (const auto publisher = filter->second.take_request())
        messages.send(subscriber,
                      {*publisher, false, bus::SnapshotRequest{*publisher, subscriber}});
}

void SimModules::collect() {
    const auto drain = [this](AgentId agent, auto &core) {
        while (auto outgoing = core.poll_message()) messages.send(agent, std::move(*outgoing));
    };
    drain(AgentId::kIngress, ingress);
    drain(AgentId::kEgress, egress);
    drain(AgentId::kStorage, storage);
    drain(AgentId::kScheduler, scheduler);
    drain(AgentId::kRouter, router);
}

void SimModules::deliver(AgentId to, bus::Message message, TimePoint now) {
    const auto filter = filters.find(to);
    const bool admitted = filter == filters.end() || filter->second.admit(message);
    ask_for_snapshots(to);
    if (!admitted) return;
    const auto hand_to = [&](auto &core) {
        std::visit(
            [&](auto &data) {
                if constexpr (requires { core.handle(std::move(data), now); })
                    core.handle(std::move(data), now);
            },
            message);
    };
    switch (to) {
        case AgentId::kIngress:
            if (std::holds_alternative<bus::StorageReady>(message)) storage_ready = true;
            return hand_to(ingress);
        case AgentId::kEgress:
            return hand_to(egress);
        case AgentId::kStorage:
            return hand_to(storage);
        case AgentId::kScheduler:
            return hand_to(scheduler);
        case AgentId::kRouter:
            return hand_to(router);
        default:
            return;
    }
}

// ---- disk and time

void SimModules::serve_disk(TimePoint now) {
    while (DiskRequestPtr done = disk.poll_completion(now)) {
        --at_disk;
        storage.handle(0, std::move(done), now);
    }
    while (DiskRequestPtr request = storage.poll_disk_request(0, now)) {
        ++at_disk;
        disk.submit(std::move(request), now);
    }
}

TimePoint SimModules::next_timeout() const {
    return std::min({ingress.next_timeout(), storage.next_timeout(), egress.next_timeout(),
                     scheduler.next_timeout(), router.next_timeout(), disk.next_timeout()});
}

void SimModules::run_timers(TimePoint now) {
    if (ingress.next_timeout() <= now) ingress.handle_timeout(now);
    if (storage.next_timeout() <= now) storage.handle_timeout(now);
    if (egress.next_timeout() <= now) egress.handle_timeout(now);
    if (scheduler.next_timeout() <= now) scheduler.handle_timeout(now);
    if (router.next_timeout() <= now) router.handle_timeout(now);
}

bool SimModules::idle() const {
    return messages.empty() && at_disk == 0 && ingress.idle() && storage.idle();
}

}  // namespace farlink::sim
