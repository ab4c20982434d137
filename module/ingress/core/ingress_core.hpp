// SPDX-License-Identifier: Apache-2.0
// Ingress thinks here: every bundle that arrives is checked and goes to egress (cut-through), to
// storage, or to a service of this node; ingress owns it until it is safe elsewhere.
// Owned by the ingress agent (or a simulated node); one thread; no socket, clock or log.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/clock_guard.hpp"
#include "common/bp/bundle_view.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/link_placement.hpp"
#include "common/config/node/node_config.hpp"
#include "common/routing/forwarding_table.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/latency_histogram.hpp"
#include "module/ingress/core/borrowed_slabs.hpp"
#include "module/ingress/core/bundle_manners.hpp"
#include "module/ingress/core/disconnected_transfers.hpp"
#include "module/ingress/core/flow_table.hpp"
#include "module/ingress/core/local/local_relay.hpp"
#include "module/ingress/core/local/local_services.hpp"
#include "module/ingress/core/local/pings.hpp"
#include "module/ingress/core/output_queue.hpp"
#include "module/ingress/core/recent_passes.hpp"
#include "module/ingress/core/unacked_copies.hpp"
#include "module/ingress/core/upstreams.hpp"

namespace farlink::ingress {

using telemetry::IngressCounter;

/// A bundle that no contact towards its destination can carry.
struct ExceedsContacts {
    NodeNumber destination;
    std::uint64_t size_bytes = 0;
    std::uint64_t max_bundle_bytes = 0;
};

/// A bundle that was deleted since no hop was left (RFC 9171 section 4.4.3): mostly a loop.
struct HopLimitExceeded {
    NodeNumber source;
    NodeNumber destination;
    std::uint32_t hop_limit = 0;
};

class IngressCore {
public:
    /// `pool` is the loop's; bundles that the node makes itself live in it too. `first_arrival` is
    /// above every arrival number of an earlier run (the agent takes the clock's nanoseconds).
    /// `instance`: which one of config.threads.instances this is.
    IngressCore(const config::NodeConfig &config, SlabPool &pool, WallClock clock,
                std::uint64_t first_arrival, std::size_t instance = 0);

    // ---- from the links
    /// `acknowledges`: the session's layer waits for poll_disposition() to tell it of its bundles.
    /// `flow_controlled`: its peer can be held back.
    /// Its sender is not told when there is no room for a bundle: the acknowledgement waits.
    void set_patient(UpstreamId from) { upstreams_.set_patient(from); }
    [[nodiscard]] std::optional<Upstreams::Hushed> poll_hushed(TimePoint now) {
        return upstreams_.poll_hushed(now);
    }
    void handle_upstream_opened(UpstreamId from, bool acknowledges, bool flow_controlled = true);
    void handle_bundles(UpstreamId from, const ReceivedBundles &received, TimePoint now);
    /// The neighbour that sends by this session, where it is certain.
    void handle_sender(UpstreamId from, NodeNumber neighbour) {
        upstreams_.belongs_to(from, neighbour);
    }
    /// What its link puts up with in bundles.
    void handle_policy(UpstreamId from, BundlePolicy policy) {
        upstreams_.set_policy(from, policy);
    }
    /// What a link that a neighbour has opened may have in flight.
    void set_window(LinkId link, NodeNumber neighbour, std::uint64_t bytes, std::uint64_t bundles);
    void handle_upstream_closed(UpstreamId from);

    // ---- from the bus
    void handle(bus::ArrivedBatch message, TimePoint now);
    void handle(const bus::UpstreamChange &change, TimePoint now);
    void handle(const bus::RouteUpdate &update, TimePoint now);
    void handle(const bus::LinkUp &event, TimePoint now);
    void handle(const bus::LinkDown &event, TimePoint now);
    void handle(const bus::LinkSnapshot &snapshot, TimePoint now);
    void handle(const bus::Backlog &backlog, TimePoint now);
    void handle(const bus::DrainMode &order, TimePoint now);
    void handle(const bus::ReportRequest &request, TimePoint now);
    void handle(const bus::OriginateRequest &request, TimePoint now);
    void handle(bus::BatchOutcome outcome, TimePoint now);

    // ---- bundles for the node itself, which the first instance delivers (ingress_local.cpp)
    void handle(const bus::LocalDelivery &message, TimePoint now);
    void handle(const bus::LocalDelivered &answer, TimePoint now);
    /// The operator pings an endpoint; PingReply follows when the answer is there.
    void handle(const bus::PingRequest &request, TimePoint now);

    // ---- modules of other processes that come and go (ingress_modules.cpp)
    void handle(const bus::ModuleLost &lost, TimePoint now);
    void handle(const bus::ModuleBack &back, TimePoint now);
    /// Storage has told of all that waits in it.
    void handle(const bus::StorageReady &ready, TimePoint now);

    // ---- the clock, which a ClockGuard judges
    /// Once, before the first bundle: `last_seen` is the newest DTN time that the node knows of.
    void judge_clock(DtnTime last_seen);
    void set_wall_clock(WallClock reading);
    void handle(const bus::ClockConfirm &confirm, TimePoint now);

    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    /// The node is stopping: what waits for a link goes to storage now.
    void drain(TimePoint now);

    // ---- what to do
    [[nodiscard]] std::optional<bus::Outgoing> poll_message();
    /// The ForwardBatch that has just been polled does not go to egress: a session of this link
    /// that ingress hosts takes it.
    void handle_kept(LinkId link);
    [[nodiscard]] std::optional<PauseOrder> poll_pause() { return upstreams_.poll_order(); }
    /// What became of bundles of sessions that acknowledge.
    [[nodiscard]] std::optional<bus::DispositionRun> poll_disposition() {
        return upstreams_.poll_disposition();
    }

    /// The last bundle that was too large for the plan, for the log; each once.
    [[nodiscard]] std::optional<ExceedsContacts> poll_exceeds_contacts() {
        return std::exchange(exceeds_contacts_, {});
    }

    /// The last bundle that had no hop left, likewise.
    [[nodiscard]] std::optional<HopLimitExceeded> poll_hop_limit_exceeded() {
        return std::exchange(hop_limit_exceeded_, {});
    }

    /// The last bundle that was deleted for what it is, likewise.
    [[nodiscard]] std::optional<Rejected> poll_rejected() { return std::exchange(rejected_, {}); }

    /// What bundles did beside their standard.
    [[nodiscard]] std::optional<DepartureRun> poll_departure();

    /// Of what is on its way to the batch's link, there is nothing but this batch.
    [[nodiscard]] bool alone(const Batch &batch);
    [[nodiscard]] DtnTime dtn_at(TimePoint now) const { return clock_.dtn_at(now); }

    /// From a bundle's arrival until its batch has come back as sent, one value a batch.
    [[nodiscard]] const telemetry::LatencyHistogram &residence() const { return residence_; }
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
        UpstreamId waiting = kNoUpstream;      ///< the session that waits to hear of it, if it does
        std::uint32_t transfer = 0;            ///< its number there
        const BatchedBundle *again = nullptr;  ///< came before, and could not be stored
        NodeNumber sender{};                   ///< the neighbour, where its session tells
    };

    // one bundle
    void acknowledge(const Arrival &arrival, TransferDisposition disposition, TimePoint now) {
        if (arrival.waiting != kNoUpstream)
            upstreams_.acknowledge(arrival.waiting, arrival.transfer, 1, disposition, now);
    }
    void accept(const Arrival &arrival, TimePoint now);
    void accept_joined(const Arrival &arrival, TimePoint now);
    void report_malformed(ByteView octets, bp::ParseError error, TimePoint now);
    [[nodiscard]] std::optional<bp::ParseError> judge_manners(const bp::BundleView &view,
                                                              UpstreamId from);
    void accept_ageless(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    void note_departure(UpstreamId from, BundleDeparture kind);
    void reject(bp::ParseError why, const Arrival &arrival, TimePoint now);
    void reject_while_draining(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    void process_trailing_blocks(const Arrival &arrival, TimePoint now);
    [[nodiscard]] bool discard_unforwardable(const bp::BundleView &view, const Arrival &arrival,
                                             TimePoint now);
    [[nodiscard]] bool is_for_this_node(const bp::BundleView &view) const;
    [[nodiscard]] bool leads_nowhere(const bp::BundleView &view) const;
    void deliver(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    /// `sender`: the neighbour whose session it came by, where that is certain.
    void deliver_here(const bp::BundleView &view, ByteView bundle, NodeNumber sender,
                      TimePoint now);
    void hand_over(ByteView bundle, const Arrival &arrival, TimePoint now);
    [[nodiscard]] std::uint64_t take_arrival_number(TimePoint now);
    void dispatch(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    void add_to_batch(std::size_t index, BatchedBundle &bundle, const Arrival &arrival,
                      NodeNumber sender, TimePoint now);
    [[nodiscard]] NodeNumber sender_of(const bp::BundleView &view, const Arrival &arrival);
    void note_fit(NodeNumber destination, std::uint64_t size);
    void originate_pending(TimePoint now);
    [[nodiscard]] SlabRef join(const Arrival &arrival, TimePoint now, ByteView inserted = {},
                               std::size_t at = 0);

    // batches
    [[nodiscard]] std::size_t lane_for(const routing::BundleFacts &bundle, std::uint64_t flow,
                                       bool &fallback, TimePoint now);
    [[nodiscard]] bool gets_hop_limit(const bp::BundleView &view, const Arrival &arrival,
                                      bool fallback) const;
    [[nodiscard]] bool comes_again(const bp::BundleView &view, const Arrival &arrival,
                                   bool fallback);
    [[nodiscard]] Priority priority_of(const bp::BundleView &view,
                                       const routing::Destination &destination) const;
    [[nodiscard]] bool is_critical(const bp::BundleView &view,
                                   const routing::Destination &destination,
                                   Priority priority) const;
    void close_open_batches(UpstreamId from, TimePoint now);
    void submit(std::size_t queue, BatchPtr batch, UpstreamId from, TimePoint now);
    void lend(OutputQueue &queue, BatchPtr batch, TimePoint now);
    [[nodiscard]] bool copy_at_once(std::size_t queue, const Batch &batch, TimePoint now) const;
    void spill(OutputQueue &queue, TimePoint now);
    void hand_to_storage(BatchPtr batch, UpstreamId from, TimePoint now);
    void resume_paused(OutputQueue &queue);
    void pump(OutputQueue &queue, TimePoint now);
    void set_link(const bus::LinkEntry &entry, TimePoint now);
    [[nodiscard]] OutputQueue *queue_of(LinkId link);
    OutputQueue &add_queue(LinkId link, NodeNumber neighbour);

    // outcomes
    void take_batch(BatchPtr batch, TimePoint now);
    void take_back(BatchPtr batch, TimePoint now);
    void set_all_sent(BatchPtr batch, const std::optional<WatchedBatch> &watched, TimePoint now);
    /// `stored`: of which bundles storage has a copy; empty: of none.
    void set_each_outcome(BatchPtr batch, std::span<const std::uint8_t> stored, TimePoint now);
    void take_part(BatchPtr part, TimePoint now);
    void set_part_outcomes(const Batch &part, const WatchedBatch *watched, TimePoint now);
    void acknowledge(UpstreamId waiting, const BatchedBundle &bundle,
                     TransferDisposition disposition, TimePoint now) {
        if (waiting != kNoUpstream)
            upstreams_.acknowledge(waiting, bundle.transfer, 1, disposition, now);
        let_go_of_orphan(bundle, disposition, now);
    }
    void return_borrowed();

    // repeats (ingress_repeats.cpp)
    void add_orphan(const Batch &batch, std::size_t place, bool safe);
    [[nodiscard]] bool repeats(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    void acknowledge_repeats(const std::vector<DisconnectedTransfers::Repeat> &repeats,
                             TransferDisposition disposition, TimePoint now);
    /// The bundle is not here any more; who repeats it is told what became of it.
    void let_go_of_orphan(const BatchedBundle &bundle, TransferDisposition disposition,
                          TimePoint now) {
        if (!disconnected_.empty())
            acknowledge_repeats(disconnected_.remove(bundle.arrival), disposition, now);
    }

    // copies (ingress_copies.cpp)
    void make_due_copies(TimePoint now);
    [[nodiscard]] BatchPtr copy_of(const Batch &original, std::span<const std::uint8_t> left_out);
    void set_copy_outcome(BatchPtr copy, TimePoint now);
    [[nodiscard]] bool set_copied_outcome(const Batch &batch, const BatchedBundle &bundle,
                                          Outcome outcome, TimePoint now);
    void send_fates();
    [[nodiscard]] bool set_bundle_outcome(const Batch &batch, const BatchedBundle &bundle,
                                          Outcome outcome, UpstreamId waiting, TimePoint now);
    [[nodiscard]] bool drop_ended(const Batch &batch, const BatchedBundle &bundle,
                                  bp::ReportReason reason, UpstreamId waiting, TimePoint now);
    [[nodiscard]] bool leave_to_custodian(const Batch &batch, const BatchedBundle &bundle,
                                          UpstreamId waiting, TimePoint now);
    [[nodiscard]] bool refuse_without_space(const Batch &batch, const BatchedBundle &bundle,
                                            TimePoint now);
    [[nodiscard]] bool refuse_upstream(const Batch &batch, const BatchedBundle &bundle,
                                       TimePoint now);
    [[nodiscard]] bool may_be_stored(const Batch &batch, const BatchedBundle &bundle) const;
    void hold(BatchPtr batch, TimePoint now);
    void leave_storage_alone(TimePoint now);
    void resume_storage(TimePoint now);
    void offer_held_again(TimePoint now);
    void report(bus::ReportEvent event, bp::ReportReason reason, ByteView head,
                std::uint64_t payload_length, TimePoint now);
    void report_forwarded(const Batch &batch, const BatchedBundle &bundle, TimePoint now);
    void release(std::uint64_t bundles, std::uint64_t bytes);
    void count_suspension();

    static constexpr std::size_t kStorageQueue = 0;

    const config::NodeConfig &config_;
    const Duration longest_pause_;  ///< then a blocked bundle goes to storage
    SlabPool &pool_;
    BorrowedSlabs borrowed_;
    BatchPool batches_;
    ClockGuard clock_;
    const std::size_t instance_;
    const std::uint64_t first_arrival_;
    std::uint64_t next_arrival_;
    TimePoint first_bundle_ = kNever;
    std::uint64_t next_batch_;  ///< never lower than that of an instance before this one
    /// By instance of egress: the last batch that it was given.
    std::array<std::uint64_t, kMostInstances> forwarded_{};
    std::uint64_t forwarded_before_ = 0;  ///< what the last ForwardBatch has replaced there
    const config::LinkPlacement placement_;
    std::vector<OutputQueue>
        queues_;  ///< storage, then the outducts in order, then links made later
    std::unordered_map<LinkId, std::size_t> later_lanes_;
    std::vector<std::size_t> touched_;  ///< lanes with an open batch
    Ring<BatchPtr> held_;               ///< refused by storage
    bool stopping_ = false;             ///< storage takes what there is
    Duration storage_retry_{};          ///< the pause before they are offered again
    routing::ForwardingTable forwarding_;
    /// The last previous node that a bundle has named: they come in runs.
    struct Claimed {
        NodeNumber node;
        bool is_neighbour = false;
    };
    Claimed claimed_;
    FlowTable flows_;
    Upstreams upstreams_;
    UnackedCopies copies_;
    DisconnectedTransfers disconnected_;
    RecentPasses passes_;
    std::vector<bus::CopyFate> fates_;
    LocalServices services_;
    LocalRelay relay_;
    Pings pings_;
    std::optional<ExceedsContacts> exceeds_contacts_;
    std::optional<HopLimitExceeded> hop_limit_exceeded_;
    std::optional<Rejected> rejected_;
    Ring<DepartureRun> deviations_;
    Ring<bus::Outgoing> messages_;
    telemetry::IngressCounters counters_;
    telemetry::LatencyHistogram residence_;
};

}  // namespace farlink::ingress
