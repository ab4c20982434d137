// SPDX-License-Identifier: Apache-2.0
// Ingress thinks here: every bundle that arrives is checked and goes to egress (cut-through), to
// storage, or to a service of this node; ingress owns it until it is safe elsewhere.
// Owned by the ingress agent (or a simulated node); one thread; no socket, clock or log.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/bp/bundle_view.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node_config.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "module/ingress/core/flow_table.hpp"
#include "module/ingress/core/forwarding_table.hpp"
#include "module/ingress/core/lane.hpp"
#include "module/ingress/core/local_services.hpp"
#include "module/ingress/core/upstreams.hpp"

namespace farlink::ingress {

using telemetry::IngressCounter;

class IngressCore {
public:
    /// `pool` is the loop's; bundles that the node makes itself live in it too. `first_arrival` is
    /// above every arrival number of an earlier run (the agent takes the clock's nanoseconds).
    IngressCore(const config::NodeConfig &config, SlabPool &pool, WallClock clock,
                std::uint64_t first_arrival);

    // ---- from the links
    void handle_bundles(UpstreamId from, const ReceivedBundles &received, TimePoint now);
    void handle_upstream_closed(UpstreamId from) { upstreams_.closed(from); }

    // ---- from the bus
    void handle(const bus::RouteUpdate &update, TimePoint now);
    void handle(const bus::LinkUp &event, TimePoint now);
    void handle(const bus::LinkDown &event, TimePoint now);
    void handle(const bus::LinkSnapshot &snapshot, TimePoint now);
    void handle(const bus::Backlog &backlog, TimePoint now);
    void handle(const bus::ReportRequest &request, TimePoint now);
    void handle(bus::BatchOutcome outcome, TimePoint now);

    void set_wall_clock(WallClock clock) { clock_ = clock; }
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    /// The node is stopping: what waits for a link goes to storage now.
    void drain(TimePoint now);

    // ---- what to do
    [[nodiscard]] std::optional<bus::Outgoing> poll_message();
    [[nodiscard]] std::optional<PauseOrder> poll_pause() { return upstreams_.poll_order(); }

    [[nodiscard]] telemetry::IngressCounters &counters() { return counters_; }
    [[nodiscard]] const telemetry::IngressCounters &counters() const { return counters_; }
    /// True when ingress owns no bundle at all.
    [[nodiscard]] bool idle() const { return counters_.value(IngressCounter::kInFlight) == 0; }

private:
    struct Arrival {
        std::span<const ByteView> slices;
        std::span<const SlabRef> slabs;
        std::uint64_t size = 0;
        UpstreamId from = kNoUpstream;
        const BatchedBundle *again = nullptr;  ///< came before, and could not be stored
    };

    // one bundle
    void accept(const Arrival &arrival, TimePoint now);
    void accept_joined(const Arrival &arrival, TimePoint now);
    void accept_settled(const Arrival &arrival, TimePoint now);
    [[nodiscard]] bool refuse(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    void deliver(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    void dispatch(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    void originate_pending(TimePoint now);
    [[nodiscard]] SlabRef join(const Arrival &arrival);

    // batches
    [[nodiscard]] std::size_t lane_for(NodeNumber destination, std::uint64_t flow);
    void close_open_batches(UpstreamId from, TimePoint now);
    void submit(std::size_t lane, BatchPtr batch, UpstreamId from, TimePoint now);
    void lend(Lane &lane, BatchPtr batch);
    void spill(Lane &lane, TimePoint now);
    void hand_to_storage(BatchPtr batch, UpstreamId from, TimePoint now);
    void resume_paused(Lane &lane);
    void pump(Lane &lane);
    void set_link(LinkId link, bool up, TimePoint now);
    [[nodiscard]] Lane *lane_of(LinkId link);

    // outcomes
    void settle_all_sent(BatchPtr batch, TimePoint now);
    void settle_each(BatchPtr batch, TimePoint now);
    [[nodiscard]] bool settle_one(const Batch &batch, const BatchedBundle &bundle, Outcome outcome,
                                  TimePoint now);
    [[nodiscard]] bool may_be_stored(const Batch &batch, const BatchedBundle &bundle) const;
    void hold(BatchPtr batch, TimePoint now);
    void resume_storage(TimePoint now);
    void offer_held_again(TimePoint now);
    void report(bus::ReportEvent event, bp::ReportReason reason, ByteView head,
                std::uint64_t payload_length, TimePoint now);
    void report_forwarded(const Batch &batch, const BatchedBundle &bundle, TimePoint now);
    void release(std::uint64_t bundles, std::uint64_t bytes);

    static constexpr std::size_t kStorageLane = 0;

    const config::NodeConfig &config_;
    SlabPool &pool_;
    BatchPool batches_;
    WallClock clock_;
    std::uint64_t next_arrival_;
    std::uint64_t next_batch_ = 1;
    std::vector<Lane> lanes_;           ///< storage, then the outducts in order
    std::vector<std::size_t> touched_;  ///< lanes with an open batch
    Ring<BatchPtr> held_;               ///< refused by storage
    ForwardingTable forwarding_;
    FlowTable flows_;
    Upstreams upstreams_;
    LocalServices services_;
    Ring<bus::Outgoing> messages_;
    telemetry::IngressCounters counters_;
};

}  // namespace farlink::ingress
