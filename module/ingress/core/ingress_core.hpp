// SPDX-License-Identifier: Apache-2.0
// Ingress without I/O: every bundle that arrives is checked and goes to egress (cut-through), to
// storage, or to a service of this node; ingress owns it until it is safe elsewhere.
// Owned by the ingress agent (or a simulated node); one thread; no socket, clock or log.
// The parts do the work (receive/, queues/, outcomes/, local/); this class joins them.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "module/ingress/core/outcomes/batch_outcomes.hpp"
#include "module/ingress/core/receive/bundle_receiver.hpp"

namespace farlink::ingress {

class IngressCore {
public:
    /// `pool` is the loop's; bundles that the node itself makes live in it too. `first_arrival` is
    /// above every arrival number of an earlier run (the agent takes the clock's nanoseconds).
    /// `instance`: which one of config.threads.instances this is.
    IngressCore(const config::NodeConfig &config, SlabPool &pool, WallClock clock,
                std::uint64_t first_arrival, std::size_t instance = 0);

    // ---- from the links
    /// `acknowledges`: the session's convergence layer waits for the dispositions of its bundles.
    /// `flow_controlled`: its peer can be paused.
    void handle_upstream_opened(UpstreamId from, bool acknowledges, bool flow_controlled = true) {
        context_.upstreams.opened(from, acknowledges, !flow_controlled);
    }
    void handle_bundles(UpstreamId from, const ReceivedBundles &received, TimePoint now);
    void handle_upstream_closed(UpstreamId from, TimePoint now) {
        spooler_.abandon_all(from, now);
        repeats_.handle_upstream_closed(from, copies_, queues_);
    }
    /// The sessions: their neighbours, policies, pauses and dispositions.
    [[nodiscard]] Upstreams &upstreams() { return context_.upstreams; }
    /// The queues: the windows of links, and which batches are in flight.
    [[nodiscard]] NextHopQueues &queues() { return queues_; }

    // ---- from the bus
    void handle(bus::ArrivedBatch message, TimePoint now);
    void handle(const bus::UpstreamChange &change, TimePoint now);
    void handle(const bus::RouteUpdate &update, TimePoint now);
    /// Links, and endpoints of applications, that come, go, or have another state; and what a stop
    /// could store, which limits the memory. StorageReady: all bundles that wait are reported.
    template <class Event>
        requires std::same_as<Event, bus::LinkUp> || std::same_as<Event, bus::LinkDown> ||
                 std::same_as<Event, bus::LinkSnapshot> ||
                 std::same_as<Event, bus::EndpointsChange> ||
                 std::same_as<Event, bus::StorageReserve> || std::same_as<Event, bus::StorageReady>
    void handle(const Event &event, TimePoint now) {
        if constexpr (std::same_as<Event, bus::StorageReserve>)
            context_.limit_memory(event);
        else if constexpr (std::same_as<Event, bus::StorageReady>)
            context_.flows.drop_unconfirmed();
        else
            queues_.handle(event, now);
    }
    void handle(const bus::Backlog &backlog, TimePoint now);
    /// New bundles from others are refused, or accepted again; bundles for this node are
    /// delivered in any case.
    void handle(const bus::DrainMode &order, TimePoint now);
    void handle(const bus::ReportRequest &request, TimePoint now);
    void handle(const bus::OriginateRequest &request, TimePoint now);
    void handle(bus::BatchOutcome outcome, TimePoint now);
    /// Bundles for services of this node, which storage has joined from fragments.
    void handle(bus::ReleaseBatch message, TimePoint now);
    /// A bundle for this node that another instance has relayed.
    void handle(const bus::LocalDelivery &message, TimePoint now);
    void handle(const bus::LocalDelivered &answer, TimePoint now);
    /// The operator pings an endpoint; PingReply follows with the answer.
    void handle(const bus::PingRequest &request, TimePoint now);
    /// A module of another process is gone. Batches that it had come back as not sent: those of
    /// egress go to storage, those of storage are held and offered again.
    void handle(const bus::ModuleLost &lost, TimePoint now);
    void handle(const bus::ModuleBack &back, TimePoint now);
    void handle(const bus::ClockConfirm &confirm, TimePoint now);

    /// Settings that were changed in the configuration file; see config::take_settings().
    void set_settings(const config::NodeConfig &changed);
    /// The rules of BPSec from the next bundle on; null: none.
    void set_gate(std::unique_ptr<security::BundleGate> gate) {
        receiver_.set_gate(std::move(gate));
    }
    /// Bundles that end here are recorded there.
    void set_history(history::BundleHistory history) { context_.history = std::move(history); }

    // ---- the clock, which a ClockGuard judges
    /// Once, before the first bundle: `last_seen` is the newest DTN time in the store.
    void judge_clock(DtnTime last_seen);
    void set_wall_clock(WallClock reading);
    [[nodiscard]] DtnTime dtn_at(TimePoint now) const { return context_.clock.dtn_at(now); }

    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);
    /// The node stops: bundles that wait for a link go to storage now.
    void drain(TimePoint now);

    // ---- what to do
    [[nodiscard]] std::optional<bus::Outgoing> poll_message() { return queues_.poll_message(); }

    /// Deviations of bundles from their standard.
    [[nodiscard]] std::optional<DeviationRun> poll_deviation() {
        return receiver_.poll_deviation();
    }
    /// For once a second: forgets flows without bundles. Returns octets of memory.
    [[nodiscard]] std::size_t free_memory() { return context_.flows.free_empty(); }
    /// The events for the log since the last call.
    [[nodiscard]] BundleNotices take_notices() { return std::exchange(context_.notices, {}); }
    /// From a bundle's arrival until its batch has come back as sent, one value a batch.
    [[nodiscard]] const telemetry::LatencyHistogram &residence() const {
        return outcomes_.residence();
    }
    [[nodiscard]] telemetry::IngressCounters &counters() { return context_.counters; }
    /// True when ingress owns no bundle at all, and no piece of one.
    [[nodiscard]] bool idle() const {
        return context_.counters.value(IngressCounter::kInFlight) == 0 &&
               context_.counters.value(IngressCounter::kInFlightBytes) == 0;
    }

private:
    /// Dispatches what the services have made, and sends what the read of `from` has filled.
    void finish(UpstreamId from, TimePoint now);
    void resume_storage(TimePoint now);

    IngressContext context_;
    const std::uint64_t first_arrival_;
    UnackedCopies copies_;
    NextHopQueues queues_;
    CopyMaker copy_maker_;
    HeldBatches held_;
    LocalDeliveries local_;
    Spooler spooler_;
    RepeatsAfterLoss repeats_;
    BundleOutcomes bundle_outcomes_;
    BatchOutcomes outcomes_;
    Dispatcher dispatcher_;
    BundleReceiver receiver_;
};

}  // namespace farlink::ingress
