// SPDX-License-Identifier: Apache-2.0
// The way of one bundle through ingress: parse, check, hand on. Its way: ingress_forward.cpp;
// batches: ingress_batches.cpp.
#include "module/ingress/core/ingress_core.hpp"

#include <algorithm>

#include "common/bp/admin.hpp"
#include "common/bp/eid/reserved.hpp"
#include "common/bp/flow.hpp"
#include "common/bp/transit.hpp"
#include "common/bp/v6/custody.hpp"
#include "common/buffer/hop_limit_request.hpp"
#include "common/buffer/rest_request.hpp"
#include "common/config/review/ltp_advice.hpp"
#include "module/ingress/core/slabs_under.hpp"

namespace farlink::ingress {
namespace {

/// What storage may have in hand before upstreams are held back.
constexpr std::uint64_t kStorageWindowBytes = 32ULL * 1024 * 1024;
constexpr std::uint64_t kStorageWindowBundles = 256 * 1024;
/// What one of several instances may do of `limit`; 0 stays no limit.
std::uint32_t share_of(std::uint32_t limit, std::size_t instances) {
    return limit == 0 ? 0 : std::max(1U, limit / static_cast<std::uint32_t>(instances));
}

}  // namespace

IngressCore::IngressCore(const config::NodeConfig &config, SlabPool &pool, WallClock clock,
                         std::uint64_t first_arrival, std::size_t instance)
    : config_(config),
      longest_pause_(config::longest_pause(config)),
      pool_(pool),
      batches_(BatchOwner::kIngress, instance),
      clock_(clock),
      instance_(instance),
      first_arrival_(first_arrival - first_arrival % config.threads.instances + instance),
      next_arrival_(first_arrival_),
      next_batch_(first_arrival_ + 1),
      placement_(config),
      queues_(1 + config.outducts.size()),
      forwarding_(config.routing),
      flows_(instance),
      copies_(config.acknowledge_within),
      services_(
          config.node, config.echo_service,
          {config.custody.acs_aware, config.custody.acs_max_fills, config.custody.acs_send_period},
          {instance, config.threads.instances}),
      relay_(bus::instance_at(bus::AgentId::kIngress, instance)),
      pings_(first_arrival) {
    services_.set_hop_limit(config.routing.hop_limit);
    queues_[kStorageQueue].up = true;
    services_.limit_reports(share_of(config.status_reports_per_second, config.threads.instances));
    queues_[kStorageQueue].max_bytes = kStorageWindowBytes;
    queues_[kStorageQueue].max_bundles = kStorageWindowBundles;
    for (std::size_t i = 0; i < config.outducts.size(); ++i) {
        OutputQueue &queue = queues_[1 + i];
        queue.link = config.outducts[i].id;
        queue.neighbour = config.outducts[i].next_hop;
        queue.max_bytes = config.outducts[i].max_in_flight_bytes;
        queue.max_bundles = config.outducts[i].max_in_flight_bundles;
    }
}

void IngressCore::handle_upstream_opened(UpstreamId from, bool acknowledges, bool flow_controlled) {
    upstreams_.opened(from, acknowledges, !flow_controlled);
}

void IngressCore::judge_clock(DtnTime last_seen) {
    clock_.judge_start(last_seen);
    count_suspension();
}

void IngressCore::set_wall_clock(WallClock reading) {
    (void)clock_.handle_reading(reading);
    count_suspension();
}

void IngressCore::handle(const bus::ClockConfirm &, TimePoint) {
    clock_.confirm();
    count_suspension();
}

void IngressCore::count_suspension() {
    counters_.set(IngressCounter::kExpirySuspended, clock_.expiry_suspended() ? 1 : 0);
}

void IngressCore::handle(const bus::UpstreamChange &change, TimePoint) {
    if (!change.open) return handle_upstream_closed(change.upstream);
    handle_upstream_opened(change.upstream, change.acknowledges);
    upstreams_.elsewhere(change.upstream, change.next_transfer);
    const auto outduct =
        std::ranges::find(config_.outducts, change.link, &config::OutductConfig::id);
    if (outduct != config_.outducts.end())
        handle_policy(change.upstream, {outduct->strict, outduct->allow_missing_age});
    if (const OutputQueue *queue = queue_of(change.link))
        handle_sender(change.upstream, queue->neighbour);
}

// What ingress has goes its way; what is for the node itself is still delivered.
void IngressCore::handle(const bus::DrainMode &order, TimePoint) {
    upstreams_.set_drained(order.held);
}

void IngressCore::handle_bundles(UpstreamId from, const ReceivedBundles &received, TimePoint now) {
    const UpstreamId waiting = upstreams_.acknowledges(from) ? from : kNoUpstream;
    auto transfer = static_cast<std::uint32_t>(received.first_transfer);
    if (waiting != kNoUpstream) upstreams_.arrived(from, received.bundles.size(), now);
    const NodeNumber sender = upstreams_.neighbour(from);
    std::uint64_t bytes = 0;
    for (const ReceivedBundle &bundle : received.bundles) {
        bytes += bundle.size;
        accept({received.slices_of(bundle), received.slabs_of(bundle), bundle.size, from, waiting,
                transfer++, nullptr, sender},
               now);
    }
    counters_.add(IngressCounter::kReceived, received.bundles.size());
    counters_.add(IngressCounter::kReceivedBytes, bytes);
    originate_pending(now);
    close_open_batches(from, now);
}

// Bundles that a link of egress has received: the same way, but for whose memory they lie in.
void IngressCore::handle(bus::ArrivedBatch message, TimePoint now) {
    const Batch &batch = *message.batch;
    const UpstreamId from = batch.upstream;
    const UpstreamId waiting = upstreams_.acknowledges(from) ? from : kNoUpstream;
    if (waiting != kNoUpstream) upstreams_.arrived(from, batch.bundles.size(), now);
    counters_.add(IngressCounter::kReceived, batch.bundles.size());
    counters_.add(IngressCounter::kReceivedBytes, batch.bytes);
    const NodeNumber sender = upstreams_.neighbour(from);
    const std::span<const SlabRef> slabs = borrowed_.borrow(std::move(message.batch));
    std::vector<SlabRef> under;
    for (const BatchedBundle &bundle : batch.bundles) {
        const auto slices = batch.slices_of(bundle);
        slabs_under(slabs, slices, under);
        accept({slices, under, bundle.size, from, waiting, bundle.transfer, nullptr, sender}, now);
    }
    originate_pending(now);
    close_open_batches(from, now);
    under.clear();
    borrowed_.let_go();
    return_borrowed();
}

void IngressCore::return_borrowed() {
    while (BatchPtr batch = borrowed_.poll_returned()) {
        batch->uniform = Outcome::kSent;
        messages_.push_back({bus::AgentId::kEgress, false, bus::BatchOutcome{std::move(batch)}});
    }
}

void IngressCore::accept(const Arrival &arrival, TimePoint now) {
    const auto view = bp::parse(arrival.slices);
    if (!view) {
        if (view.error() == bp::ParseError::kHeadNotContiguous && arrival.slices.size() > 1)
            return accept_joined(arrival, now);
        return reject(view.error(), arrival, now);
    }
    if (departs(*view) && arrival.from != kNoUpstream)
        if (const auto fault = judge_manners(*view, arrival.from))
            return reject(*fault, arrival, now);
    const bool for_this_node = is_for_this_node(*view);
    if (!for_this_node && upstreams_.turns_away(arrival.waiting))
        return reject_while_draining(*view, arrival, now);
    if (discard_unforwardable(*view, arrival, now))
        return acknowledge(arrival, TransferDisposition::kSafe, now);
    if (for_this_node) return deliver(*view, arrival, now);
    if (!disconnected_.empty() && repeats(*view, arrival, now)) return;
    if (view->trailing_blocks) return process_trailing_blocks(arrival, now);
    if (view->lacks_age && arrival.from != kNoUpstream) return accept_ageless(*view, arrival, now);
    dispatch(*view, arrival, now);
}

// The node is drained. What it has of the bundle already, it goes on sending.
void IngressCore::reject_while_draining(const bp::BundleView &view, const Arrival &arrival,
                                        TimePoint now) {
    if (!disconnected_.empty() && repeats(view, arrival, now)) return;
    counters_.increment(IngressCounter::kDeletedDrained);
    acknowledge(arrival, TransferDisposition::kNoResources, now);
}

// A bundle whose head came in pieces: rare, so one copy is cheaper than a parser of pieces.
void IngressCore::accept_joined(const Arrival &arrival, TimePoint now) {
    const SlabRef whole = join(arrival, now);
    if (!whole) return;
    const ByteView slice{whole->data, arrival.size};
    Arrival joined = arrival;
    joined.slices = {&slice, 1};
    joined.slabs = {&whole, 1};
    accept(joined, now);
}

// BPv6 blocks behind the payload that want to be dropped or marked (RFC 5050 section 5.6 step 3).
void IngressCore::process_trailing_blocks(const Arrival &arrival, TimePoint now) {
    const SlabRef whole = join(arrival, now);
    if (!whole) return;
    const Bytes edited = bp::apply_trailing_blocks({whole->data, arrival.size});
    FARLINK_INVARIANT(edited.size() <= whole->capacity);  // flags keep their length
    std::copy(edited.begin(), edited.end(), whole->data);
    const ByteView slice{whole->data, edited.size()};
    const auto view = bp::parse({&slice, 1});
    FARLINK_INVARIANT(view.has_value());
    Arrival joined = arrival;
    joined.slices = {&slice, 1};
    joined.slabs = {&whole, 1};
    joined.size = edited.size();
    dispatch(*view, joined, now);
}

// One slab with the whole bundle, and `inserted` at place `at` of its first slice. Without memory
// for it the bundle ends here: its sender is told when the layer can, and tries again.
SlabRef IngressCore::join(const Arrival &arrival, TimePoint now, ByteView inserted,
                          std::size_t at) {
    SlabRef whole = pool_.acquire_sized(static_cast<std::uint32_t>(arrival.size + inserted.size()));
    if (!whole) {
        counters_.increment(arrival.waiting == kNoUpstream ? IngressCounter::kDeletedTooLarge
                                                           : IngressCounter::kDeletedNoResources);
        acknowledge(arrival, TransferDisposition::kNoResources, now);
        return whole;
    }
    const ByteView first = arrival.slices.front();
    std::uint8_t *to = std::copy_n(first.begin(), at, whole->data);
    to = std::copy(inserted.begin(), inserted.end(), to);
    to = std::copy(first.begin() + static_cast<std::ptrdiff_t>(at), first.end(), to);
    for (const ByteView slice : arrival.slices.subspan(1))
        to = std::copy(slice.begin(), slice.end(), to);
    return whole;
}

// True when the bundle goes no further; it is counted and reported here.
bool IngressCore::discard_unforwardable(const bp::BundleView &view, const Arrival &arrival,
                                        TimePoint now) {
    const ByteView head = arrival.slices.front().first(view.head_end);
    if ((view.requests & kReportReception) != 0)
        report(bus::ReportEvent::kReceived, bp::ReportReason::kNone, head, view.payload_length,
               now);
    if (view.unknown.present) {
        if (view.unknown.report)  // RFC 9171 section 5.6 step 3
            report(bus::ReportEvent::kReceived, bp::ReportReason::kBlockUnsupported, head,
                   view.payload_length, now);
        if (view.unknown.delete_bundle) {
            counters_.increment(IngressCounter::kDeletedUnprocessableBlock);
            rejected_ = Rejected{arrival.from, arrival.sender, "an unknown block demands it"};
            if ((view.requests & kReportDeletion) != 0)
                report(bus::ReportEvent::kDeleted, bp::ReportReason::kBlockUnsupported, head,
                       view.payload_length, now);
            return true;
        }
    }
    if (leads_nowhere(view)) {
        counters_.increment(IngressCounter::kDeletedReservedEndpoint);
        if ((view.requests & kReportDeletion) != 0)
            report(bus::ReportEvent::kDeleted, bp::ReportReason::kDestinationUnavailable, head,
                   view.payload_length, now);
        return true;
    }
    if (view.expiry(clock_.dtn_at(now)) <= clock_.expiry_time(now)) {
        counters_.increment(IngressCounter::kExpired);
        if ((view.requests & kReportDeletion) != 0)
            report(bus::ReportEvent::kDeleted, bp::ReportReason::kLifetimeExpired, head,
                   view.payload_length, now);
        return true;
    }
    return false;
}

// RFC 9758: the null endpoint is nobody's, and what the local node sends to others is a mistake.
bool IngressCore::leads_nowhere(const bp::BundleView &view) const {
    return bp::leads_nowhere(view.destination) ||
           (bp::is_local_node(view.source) && !is_for_this_node(view));
}

bool IngressCore::is_for_this_node(const bp::BundleView &view) const {
    return view.destination.scheme == bp::EidScheme::kIpn &&
           (view.destination.node_number() == config_.node || bp::is_local_node(view.destination));
}

// Numbers of several instances are never equal, and go up with the time, so that what came by one
// instance is not older for ever than what came by another.
std::uint64_t IngressCore::take_arrival_number(TimePoint now) {
    const std::uint64_t step = config_.threads.instances;
    if (step > 1) {
        if (first_bundle_ == kNever) first_bundle_ = now;
        const auto passed = static_cast<std::uint64_t>((now - first_bundle_).count());
        next_arrival_ = std::max(next_arrival_, first_arrival_ + passed - passed % step);
    }
    return std::exchange(next_arrival_, next_arrival_ + step);
}

void IngressCore::dispatch(const bp::BundleView &view, const Arrival &arrival, TimePoint now) {
    // RFC 9171 section 4.4.3: a bundle that has used up its hops is not forwarded.
    if (view.has_hop_count && view.hop_count >= view.hop_limit) {
        counters_.increment(IngressCounter::kDeletedHopLimit);
        hop_limit_exceeded_ = HopLimitExceeded{view.source.node_number(),
                                               view.destination.node_number(), view.hop_limit};
        if ((view.requests & kReportDeletion) != 0)
            report(bus::ReportEvent::kDeleted, bp::ReportReason::kHopLimitExceeded,
                   arrival.slices.front().first(view.head_end), view.payload_length, now);
        return acknowledge(arrival, TransferDisposition::kSafe, now);
    }
    const NodeNumber sender = sender_of(view, arrival);
    BatchedBundle bundle;
    bundle.size = arrival.size;
    bundle.arrival = arrival.again == nullptr ? take_arrival_number(now) : arrival.again->arrival;
    const routing::Destination destination = forwarding_.destination_of(view.destination);
    bundle.priority = priority_of(view, destination);
    bundle.flow = bp::flow_key(view.destination, bundle.priority);
    // A lifetime that counts from the arrival does not begin anew.
    bundle.expiry =
        arrival.again == nullptr ? view.expiry(clock_.dtn_at(now)) : arrival.again->expiry;
    bundle.received = arrival.again == nullptr ? now : arrival.again->received;
    bundle.slice_count = static_cast<std::uint32_t>(arrival.slices.size());
    bundle.primary_end = view.primary_end;
    bundle.head_end = view.head_end;
    bundle.version = view.version;
    bundle.requests = config_.status_reports ? view.requests : 0;
    bundle.transfer = arrival.transfer;
    const bool custody = bp::v6::wants_custody(view);
    if (custody) bundle.requests |= kRequestCustody;
    // RFC 5050 section 5.13: the end of a bundle in custody is reported unasked.
    if (custody && config_.status_reports) bundle.requests |= kReportDeletion;
    const bool critical = is_critical(view, destination, bundle.priority);
    if (critical) bundle.requests |= kRequestCritical;

    // Custody is taken of what is on disk, and storage sends one record to several neighbours: such
    // bundles are never cut through.
    if (arrival.again == nullptr) note_fit(destination.node, bundle.size);
    const routing::BundleFacts facts{view.source.node_number(),
                                     destination.node,
                                     destination.service,
                                     bundle.priority,
                                     bundle.size,
                                     bundle.expiry,
                                     sender,
                                     destination.name};
    std::size_t index = kStorageQueue;
    bool fallback = false;
    if (!custody && !critical)
        index = lane_for(facts, bundle.flow, fallback, now);
    else if (custody && !critical)
        fallback = forwarding_.decide(facts, clock_.dtn_at(now)).fallback;
    if (gets_hop_limit(view, arrival, fallback)) bundle.requests |= kRequestHopLimit;
    if (comes_again(view, arrival, fallback)) {
        bundle.requests |= kRequestRest;
        index = kStorageQueue;
    }
    add_to_batch(index, bundle, arrival, sender, now);
}

void IngressCore::add_to_batch(std::size_t index, BatchedBundle &bundle, const Arrival &arrival,
                               NodeNumber sender, TimePoint now) {
    OutputQueue &queue = queues_[index];
    BatchPtr &open = queue.open_for(bundle.priority);
    if (open && (open->full() || open->bytes + bundle.size > kBatchBytes ||
                 open->upstream != arrival.waiting || open->sender != sender))
        submit(index, std::move(open), arrival.from, now);
    if (!open) {
        open = batches_.acquire();
        open->upstream = arrival.waiting;
        open->sender = sender;
        open->retried = arrival.again != nullptr;
        touched_.push_back(index);
        upstreams_.feeds(arrival.from, index, now);
    }
    Batch &batch = *open;
    bundle.first_slice = static_cast<std::uint32_t>(batch.slices.size());
    batch.slices.insert(batch.slices.end(), arrival.slices.begin(), arrival.slices.end());
    for (const SlabRef &slab : arrival.slabs) batch.pin(slab);
    batch.bytes += bundle.size;
    batch.requests |= bundle.requests;
    batch.bundles.push_back(bundle);
    if (index == kStorageQueue) flows_.sent(bundle.flow);
    counters_.add(IngressCounter::kInFlight, 1);
    counters_.add(IngressCounter::kInFlightBytes, bundle.size);
}

void IngressCore::report(bus::ReportEvent event, bp::ReportReason reason, ByteView head,
                         std::uint64_t payload_length, TimePoint now) {
    if (!config_.status_reports) return;
    services_.report(event, reason, head, payload_length, clock_.dtn_at(now));
    counters_.set(IngressCounter::kReportsWithheld, services_.reports_withheld());
}

void IngressCore::handle(const bus::ReportRequest &request, TimePoint now) {
    report(request.event, static_cast<bp::ReportReason>(request.reason), request.head,
           request.payload_length, now);
    originate_pending(now);
    close_open_batches(kNoUpstream, now);
}

void IngressCore::handle(const bus::OriginateRequest &request, TimePoint now) {
    services_.originate(request, clock_.dtn_at(now));
    originate_pending(now);
    close_open_batches(kNoUpstream, now);
}

// What the node's services have made travels like anything that arrived, and may lead to more.
void IngressCore::originate_pending(TimePoint now) {
    while (const auto made = services_.poll_originated()) {
        counters_.increment(IngressCounter::kOriginated);
        const SlabRef slab = pool_.acquire_sized(static_cast<std::uint32_t>(made->size()));
        if (!slab) {
            counters_.increment(IngressCounter::kDeletedTooLarge);
            continue;
        }
        std::copy(made->begin(), made->end(), slab->data);
        const ByteView slice{slab->data, made->size()};
        accept({.slices = {&slice, 1}, .slabs = {&slab, 1}, .size = made->size()}, now);
    }
}

}  // namespace farlink::ingress
