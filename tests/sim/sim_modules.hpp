// SPDX-License-Identifier: Apache-2.0
// The cores of all modules of a simulated node, the bus between them, and the disk.
// Owned by a SimNode from start() to kill(); one thread, on its clock.
// Batches are lent from top to bottom, so members are declared in that order: the borrowers are
// destroyed first.
#pragma once

#include <map>
#include <vector>

#include "common/bus/event_filter.hpp"
#include "module/egress/core/egress_core.hpp"
#include "module/ingress/core/ingress_core.hpp"
#include "module/router/core/router_core.hpp"
#include "module/scheduler/core/scheduler_core.hpp"
#include "module/storage/core/storage_core.hpp"
#include "tests/sim/sim_bus.hpp"
#include "tests/sim/sim_node.hpp"

namespace farlink::sim {

struct SimModules {
    static constexpr std::uint32_t kSlabBytes = 64 * 1024;

    /// `life` numbers the starts of the node. `random` decides which events are lost.
    SimModules(const NodeOptions &options, const config::NodeConfig &config,
               farlink::test::SimDirectory &directory, WallClock clock, std::uint64_t life,
               Random &random);

    /// Restores what the disk has, and requests snapshots of what other modules publish.
    void start();
    void set_wall_clock(WallClock reading, TimePoint now);

    // ---- the bus
    /// Puts the messages of all modules on the bus.
    void collect();
    void deliver(bus::AgentId to, bus::Message message, TimePoint now);

    // ---- disk and time
    void serve_disk(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const;
    void run_timers(TimePoint now);

    /// No message is on its way and nothing is lent or being written.
    [[nodiscard]] bool idle() const;

    SlabPool pool;
    storage::StorageCore storage;
    ingress::IngressCore ingress;
    router::RouterCore router;
    scheduler::SchedulerCore scheduler;
    farlink::test::SimDisk disk;
    egress::EgressCore egress;
    SimBus messages;
    std::map<bus::AgentId, bus::EventFilter> filters;
    std::size_t at_disk = 0;
    bool storage_ready = false;

private:
    void subscribe(bus::AgentId subscriber, const std::vector<bus::AgentId> &publishers);
    void ask_for_snapshots(bus::AgentId subscriber);

    config::RoutingConfig routing_;
};

}  // namespace farlink::sim
