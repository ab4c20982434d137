// SPDX-License-Identifier: Apache-2.0
// The state that all parts of ingress share: memory, clock, sessions, flows, messages, counters,
// history.
// Owned by IngressCore.
// One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/base/clock_guard.hpp"
#include "common/base/disk_cost.hpp"
#include "common/bp/status_reports.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/ring.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "common/history/bundle_history.hpp"
#include "common/routing/endpoint_table.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "module/ingress/core/state/arrival.hpp"
#include "module/ingress/core/state/bundle_notices.hpp"
#include "module/ingress/core/state/catch_up.hpp"
#include "module/ingress/core/state/flow_table.hpp"
#include "module/ingress/core/state/recent_passes.hpp"
#include "module/ingress/core/state/upstreams.hpp"

namespace farlink::ingress {

using telemetry::IngressCounter;

struct IngressContext {
    IngressContext(config::NodeConfig node_config, SlabPool &slabs, WallClock reading,
                   std::size_t instance_number)
        : config(std::move(node_config)),
          pool(slabs),
          instance(instance_number),
          batches(BatchOwner::kIngress, instance_number),
          clock(reading),
          flows(instance_number),
          endpoints(node_config) {
        pool.set_beside(
            [this] { return kMemoryPerBundle * counters.value(IngressCounter::kInFlight); });
    }
    ~IngressContext() { pool.set_beside({}); }
    /// Memory is limited to what a stop could store. Sessions that wait for acknowledgements go on
    /// without a reserve: their senders lose nothing.
    void limit_memory(const bus::StorageReserve &reserve) {
        constexpr std::uint64_t kLeast = 1024 * 1024;  // a node works with so much
        const std::uint64_t share = reserve.memory_bytes / config.threads.instances;
        pool.set_limit(share == 0 ? ~std::uint64_t{0} : std::max(share, kLeast));
        upstreams.set_unreserved(share == 0);
    }
    IngressContext(const IngressContext &) = delete;
    IngressContext &operator=(const IngressContext &) = delete;

    /// Acknowledges one arrived bundle, if its session waits for that.
    void acknowledge(const Arrival &arrival, TransferDisposition disposition, TimePoint now) {
        if (arrival.waiting != kNoUpstream)
            upstreams.acknowledge(arrival.waiting, arrival.transfer, 1, disposition, now);
    }
    void count_in_flight(std::uint64_t bundles, std::uint64_t bytes) {
        counters.add(IngressCounter::kInFlight, bundles);
        counters.add(IngressCounter::kInFlightBytes, bytes);
    }
    /// Ingress owns these bundles no longer.
    void release(std::uint64_t bundles, std::uint64_t bytes) {
        counters.subtract(IngressCounter::kInFlight, bundles);
        counters.subtract(IngressCounter::kInFlightBytes, bytes);
    }
    void send(bus::AgentId to, bus::Message message) {
        messages.push_back({to, false, std::move(message)});
    }

    /// The bundle has ended here.
    void record(const bp::BundleView &view, std::uint64_t bytes, NodeNumber sender,
                history::Ending ending, bp::ReportReason reason, TimePoint now) {
        history.add(view, passage(bytes, sender, ending, reason, now));
    }
    void record(const Batch &batch, const BatchedBundle &bundle, history::Ending ending,
                bp::ReportReason reason, TimePoint now) {
        history.add(batch.slices_of(bundle), bundle.version,
                    passage(bundle.size, batch.sender, ending, reason, now));
    }
    /// The same, if at least its primary block can be read.
    void record_unparsed(const Arrival &arrival, history::Ending ending, bp::ReportReason reason,
                         TimePoint now) {
        if (!history.on() || arrival.slices.empty()) return;
        history.add_head(arrival.slices.front(), 0,
                         passage(arrival.size, arrival.sender, ending, reason, now));
    }

    void count_suspension() {
        counters.set(IngressCounter::kExpirySuspended, clock.expiry_suspended() ? 1 : 0);
    }

    config::NodeConfig config;  ///< with the settings that were changed since the start
    SlabPool &pool;             ///< the loop's; bundles that the node makes live in it too
    const std::size_t instance;
    BatchPool batches;
    ClockGuard clock;
    FlowTable flows;
    Upstreams upstreams;
    CatchUp catch_up{flows, upstreams};
    routing::EndpointTable endpoints;
    RecentPasses passes;
    BundleNotices notices;
    Ring<bus::Outgoing> messages;
    telemetry::IngressCounters counters;
    history::BundleHistory history;

private:
    [[nodiscard]] history::Passage passage(std::uint64_t bytes, NodeNumber sender,
                                           history::Ending ending, bp::ReportReason reason,
                                           TimePoint now) const {
        return {.ending = ending,
                .reason = static_cast<std::uint8_t>(reason),
                .size = bytes,
                .sender = sender,
                .time = clock.dtn_at(now)};
    }
};

}  // namespace farlink::ingress
