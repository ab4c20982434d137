// SPDX-License-Identifier: Apache-2.0
// The way of one bundle through ingress: parse, check, choose. Batches: ingress_batches.cpp.
#include "module/ingress/core/ingress_core.hpp"

#include <algorithm>

#include "common/bp/admin.hpp"
#include "common/bp/flow.hpp"
#include "common/bp/transit.hpp"

namespace farlink::ingress {
namespace {

/// What storage may have in hand before upstreams are held back.
constexpr std::uint64_t kStorageWindowBytes = 32ULL * 1024 * 1024;
constexpr std::uint64_t kStorageWindowBundles = 256 * 1024;

}  // namespace

IngressCore::IngressCore(const config::NodeConfig &config, SlabPool &pool, WallClock clock,
                         std::uint64_t first_arrival)
    : config_(config),
      pool_(pool),
      batches_(BatchOwner::kIngress),
      clock_(clock),
      next_arrival_(first_arrival),
      lanes_(1 + config.outducts.size()),
      services_(config.node, config.echo_service) {
    lanes_[kStorageLane].up = true;
    lanes_[kStorageLane].max_bytes = kStorageWindowBytes;
    lanes_[kStorageLane].max_bundles = kStorageWindowBundles;
    for (std::size_t i = 0; i < config.outducts.size(); ++i) {
        Lane &lane = lanes_[1 + i];
        lane.link = config.outducts[i].id;
        lane.neighbour = config.outducts[i].next_hop;
        lane.max_bytes = config.outducts[i].max_in_flight_bytes;
        lane.max_bundles = config.outducts[i].max_in_flight_bundles;
    }
}

void IngressCore::handle_bundles(UpstreamId from, const ReceivedBundles &received, TimePoint now) {
    std::uint64_t bytes = 0;
    for (const ReceivedBundle &bundle : received.bundles) {
        bytes += bundle.size;
        accept({received.slices_of(bundle), received.slabs_of(bundle), bundle.size, from}, now);
    }
    counters_.add(IngressCounter::kReceived, received.bundles.size());
    counters_.add(IngressCounter::kReceivedBytes, bytes);
    originate_pending(now);
    close_open_batches(from, now);
}

void IngressCore::accept(const Arrival &arrival, TimePoint now) {
    const auto view = bp::parse(arrival.slices);
    if (!view) {
        if (view.error() == bp::ParseError::kHeadNotContiguous && arrival.slices.size() > 1)
            return accept_joined(arrival, now);
        counters_.increment(IngressCounter::kMalformed, static_cast<std::size_t>(view.error()));
        return;
    }
    if (refuse(*view, arrival, now)) return;
    if (view->destination.scheme == bp::EidScheme::kIpn &&
        view->destination.node_number() == config_.node)
        return deliver(*view, arrival, now);
    if (view->trailing_blocks) return accept_settled(arrival, now);
    dispatch(*view, arrival, now);
}

// A bundle whose head came in pieces: rare, so one copy is cheaper than a parser of pieces.
void IngressCore::accept_joined(const Arrival &arrival, TimePoint now) {
    const SlabRef whole = join(arrival);
    if (!whole) {
        counters_.increment(IngressCounter::kDeletedTooLarge);
        return;
    }
    const ByteView slice{whole->data, arrival.size};
    accept({{&slice, 1}, {&whole, 1}, arrival.size, arrival.from}, now);
}

// BPv6 blocks behind the payload that want to be dropped or marked (RFC 5050 section 5.6 step 3).
void IngressCore::accept_settled(const Arrival &arrival, TimePoint now) {
    const SlabRef whole = join(arrival);
    if (!whole) {
        counters_.increment(IngressCounter::kDeletedTooLarge);
        return;
    }
    const Bytes settled = bp::settle_trailing_blocks({whole->data, arrival.size});
    FARLINK_INVARIANT(settled.size() <= whole->capacity);  // flags keep their length
    std::copy(settled.begin(), settled.end(), whole->data);
    const ByteView slice{whole->data, settled.size()};
    const auto view = bp::parse({&slice, 1});
    FARLINK_INVARIANT(view.has_value());
    dispatch(*view, {{&slice, 1}, {&whole, 1}, settled.size(), arrival.from}, now);
}

SlabRef IngressCore::join(const Arrival &arrival) {
    SlabRef whole = pool_.acquire_sized(static_cast<std::uint32_t>(arrival.size));
    if (!whole) return whole;
    std::uint8_t *to = whole->data;
    for (const ByteView slice : arrival.slices) to = std::copy(slice.begin(), slice.end(), to);
    return whole;
}

// True when the bundle goes no further; it is counted and reported here.
bool IngressCore::refuse(const bp::BundleView &view, const Arrival &arrival, TimePoint now) {
    const ByteView head = arrival.slices.front().first(view.head_end);
    if ((view.requests & kReportReception) != 0)
        report(bus::ReportEvent::kReceived, bp::ReportReason::kNone, head, view.payload_length,
               now);
    if (view.unknown.present) {
        if (view.unknown.report)  // RFC 9171 section 5.6 step 3
            report(bus::ReportEvent::kReceived, bp::ReportReason::kBlockUnintelligible, head,
                   view.payload_length, now);
        if (view.unknown.delete_bundle) {
            counters_.increment(IngressCounter::kDeletedUnprocessableBlock);
            if ((view.requests & kReportDeletion) != 0)
                report(bus::ReportEvent::kDeleted, bp::ReportReason::kBlockUnintelligible, head,
                       view.payload_length, now);
            return true;
        }
    }
    if (view.expiry(clock_.dtn_at(now)) <= clock_.dtn_at(now)) {
        counters_.increment(IngressCounter::kExpired);
        if ((view.requests & kReportDeletion) != 0)
            report(bus::ReportEvent::kDeleted, bp::ReportReason::kLifetimeExpired, head,
                   view.payload_length, now);
        return true;
    }
    return false;
}

void IngressCore::deliver(const bp::BundleView &view, const Arrival &arrival, TimePoint now) {
    SlabRef whole;
    ByteView bundle = arrival.slices.front();
    if (arrival.slices.size() > 1) {
        whole = join(arrival);
        if (!whole) {
            counters_.increment(IngressCounter::kDeletedTooLarge);
            return;
        }
        bundle = {whole->data, arrival.size};
    }
    const ByteView head = bundle.first(view.head_end);
    switch (services_.deliver(view, bundle, clock_.dtn_at(now))) {
        case Delivery::kDelivered:
            counters_.increment(IngressCounter::kDelivered);
            if ((view.requests & kReportDelivery) != 0)
                report(bus::ReportEvent::kDelivered, bp::ReportReason::kNone, head,
                       view.payload_length, now);
            return;
        case Delivery::kDuplicate:
            counters_.increment(IngressCounter::kDuplicatesDelivered);
            return;
        case Delivery::kAdminUnknown:
            counters_.increment(IngressCounter::kDeletedAdminUnknown);
            return;
        case Delivery::kNoService:
            counters_.increment(IngressCounter::kDeletedNoService);
            if ((view.requests & kReportDeletion) != 0)
                report(bus::ReportEvent::kDeleted, bp::ReportReason::kDestinationUnavailable, head,
                       view.payload_length, now);
            return;
    }
}

void IngressCore::dispatch(const bp::BundleView &view, const Arrival &arrival, TimePoint now) {
    // RFC 9171 section 4.4.3: a bundle that has used up its hops is not forwarded.
    if (view.has_hop_count && view.hop_count >= view.hop_limit) {
        counters_.increment(IngressCounter::kDeletedHopLimit);
        if ((view.requests & kReportDeletion) != 0)
            report(bus::ReportEvent::kDeleted, bp::ReportReason::kHopLimitExceeded,
                   arrival.slices.front().first(view.head_end), view.payload_length, now);
        return;
    }
    BatchedBundle bundle;
    bundle.size = arrival.size;
    bundle.arrival = arrival.again == nullptr ? next_arrival_++ : arrival.again->arrival;
    bundle.flow = bp::flow_key(view.destination, view.priority);
    // A lifetime that counts from the arrival does not begin anew.
    bundle.expiry =
        arrival.again == nullptr ? view.expiry(clock_.dtn_at(now)) : arrival.again->expiry;
    bundle.received = arrival.again == nullptr ? now : arrival.again->received;
    bundle.slice_count = static_cast<std::uint32_t>(arrival.slices.size());
    bundle.primary_end = view.primary_end;
    bundle.head_end = view.head_end;
    bundle.version = view.version;
    bundle.priority = view.priority;
    bundle.requests = config_.status_reports ? view.requests : 0;

    const bool routable = view.destination.scheme == bp::EidScheme::kIpn;
    const std::size_t index =
        routable ? lane_for(view.destination.node_number(), bundle.flow) : kStorageLane;
    Lane &lane = lanes_[index];
    if (lane.open && (lane.open->full() || lane.open->bytes + bundle.size > kBatchBytes))
        submit(index, std::move(lane.open), arrival.from, now);
    if (!lane.open) {
        lane.open = batches_.acquire();
        touched_.push_back(index);
        upstreams_.feeds(arrival.from, index, now);
    }
    Batch &batch = *lane.open;
    bundle.first_slice = static_cast<std::uint32_t>(batch.slices.size());
    batch.slices.insert(batch.slices.end(), arrival.slices.begin(), arrival.slices.end());
    for (const SlabRef &slab : arrival.slabs) batch.pin(slab);
    batch.bytes += bundle.size;
    batch.requests |= bundle.requests;
    batch.bundles.push_back(bundle);
    if (index == kStorageLane) flows_.sent(bundle.flow);
    counters_.add(IngressCounter::kInFlight, 1);
    counters_.add(IngressCounter::kInFlightBytes, bundle.size);
}

std::size_t IngressCore::lane_for(NodeNumber destination, std::uint64_t flow) {
    const NextHop *hop = forwarding_.find(destination);
    if (hop == nullptr || flows_.backlogged(flow)) return kStorageLane;
    const Lane *lane = lane_of(hop->link);
    if (lane == nullptr || !lane->up) return kStorageLane;
    return static_cast<std::size_t>(lane - lanes_.data());
}

Lane *IngressCore::lane_of(LinkId link) {
    if (lanes_.size() < 2) return nullptr;
    const std::uint32_t index = link.value() - lanes_[1].link.value();
    return index < lanes_.size() - 1 ? &lanes_[1 + index] : nullptr;
}

void IngressCore::report(bus::ReportEvent event, bp::ReportReason reason, ByteView head,
                         std::uint64_t payload_length, TimePoint now) {
    if (!config_.status_reports) return;
    services_.report(event, reason, head, payload_length, clock_.dtn_at(now));
}

void IngressCore::handle(const bus::ReportRequest &request, TimePoint now) {
    report(request.event, static_cast<bp::ReportReason>(request.reason), request.head,
           request.payload_length, now);
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
        accept({{&slice, 1}, {&slab, 1}, made->size(), kNoUpstream}, now);
    }
}

}  // namespace farlink::ingress
