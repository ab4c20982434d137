// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/receive/dispatcher.hpp"

#include <algorithm>
#include <utility>

#include "common/bp/flow.hpp"
#include "common/bp/fragmentation/fragment_rules.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v6/custody.hpp"
#include "common/buffer/hop_limit_request.hpp"
#include "common/buffer/loop_delay_request.hpp"
#include "module/ingress/core/receive/slabs_of_slices.hpp"

namespace farlink::ingress {
namespace {

constexpr std::uint8_t kBpv7 = 7;

routing::BundleFacts facts_of(const bp::BundleView &view, const routing::Destination &destination,
                              const BatchedBundle &bundle, NodeNumber sender) {
    return {.source = view.source.node_number(),
            .destination = destination.node,
            .service = destination.service,
            .priority = bundle.priority,
            .size_bytes = view.size,
            .expiry = bundle.expiry,
            .sender = sender,
            .name = destination.name};
}

/// Of a bundle without an identity: few of them are taken for another one. The payload of an
/// administrative record names its subject; its first octets suffice.
std::uint64_t hash_of_rest(const bp::BundleView &view, const Arrival &arrival) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
    constexpr std::uint64_t kMostOctets = 1024;
    std::uint64_t state = (bp::hash(view.destination) ^ view.payload_length) * kOdd;
    if (!view.is_admin_record) return state;
    std::uint64_t skipped = view.payload_offset;
    std::uint64_t left = std::min(view.payload_length, kMostOctets);
    for (ByteView slice : arrival.slices) {
        const auto before =
            static_cast<std::size_t>(std::min<std::uint64_t>(skipped, slice.size()));
        skipped -= before;
        slice = slice.subspan(before);
        slice = slice.first(static_cast<std::size_t>(std::min<std::uint64_t>(left, slice.size())));
        left -= slice.size();
        for (const std::uint8_t octet : slice) state = (state ^ octet) * kOdd;
    }
    return state ^ (state >> 32);
}

}  // namespace

Dispatcher::Dispatcher(IngressContext &context, NextHopQueues &queues, BundleOutcomes &outcomes,
                       LocalDeliveries &local, std::uint64_t first_arrival)
    : context_(context),
      queues_(queues),
      outcomes_(outcomes),
      local_(local),
      forwarding_(context.config.routing),
      reassembly_(context.config.node, context.config.routing),
      first_arrival_(first_arrival),
      next_arrival_(first_arrival) {
    reassembly_.set_endpoints(context.endpoints);
}

void Dispatcher::dispatch(const bp::BundleView &view, const Arrival &arrival, TimePoint now) {
    // RFC 9171 section 4.4.3: a bundle that has used up its hops is not forwarded.
    const auto application = context_.endpoints.find(view.destination);
    const bool here = application || reassembly_.is_here(view.destination);
    if (!here && view.has_hop_count && view.hop_count >= view.hop_limit)
        return delete_without_hops(view, arrival, now);
    const NodeNumber sender = sender_of(view, arrival);
    const routing::Destination destination = forwarding_.destination_of(view.destination);
    BatchedBundle bundle = describe(view, arrival, destination, now);
    const bool custody = (bundle.requests & kRequestCustody) != 0;
    const bool critical = (bundle.requests & kRequestCritical) != 0;

    if (arrival.again == nullptr && !here) note_fit(destination.node, view, arrival);
    const routing::BundleFacts facts = facts_of(view, destination, bundle, sender);
    if (application) {
        // Its delivery is reported, and no further hop; there is one way.
        bundle.requests &= static_cast<std::uint8_t>(~(kReportForwarding | kRequestCritical));
        return queues_.add(queue_to(*application, bundle, {view, arrival}, now), bundle, arrival,
                           sender, now);
    }
    if (here) return queues_.add(NextHopQueues::kStorageQueue, bundle, arrival, sender, now);
    // Custody is taken of bundles on disk, fragments are joined there, and storage sends a critical
    // bundle to several neighbours: such bundles are never cut through.
    std::size_t index = NextHopQueues::kStorageQueue;
    bool fallback = false;
    const bool joins = !critical && reassembly_.joins(view);
    if (!custody && !critical && !joins)
        index = queue_for(facts, bundle.flow, {view, arrival}, fallback, now);
    else
        fallback = forwarding_.decide(facts, context_.clock.dtn_at(now)).fallback;
    if (gets_hop_limit(view, arrival, fallback)) bundle.requests |= kRequestHopLimit;
    if (!joins && comes_again(view, arrival, fallback)) {
        bundle.requests |= kRequestLoopDelay;
        index = NextHopQueues::kStorageQueue;
        note_loop(view, arrival, facts, now);
    }
    queues_.add(index, bundle, arrival, sender, now);
}

// Fragments of this size are not joined here, and no custody is taken of it: its custodian has it.
std::optional<Dispatcher::Spooled> Dispatcher::describe_spooled(const bp::BundleView &view,
                                                                const Arrival &first,
                                                                TimePoint now) {
    if (view.has_hop_count && view.hop_count >= view.hop_limit) {
        delete_without_hops(view, first, now);
        return std::nullopt;
    }
    const routing::Destination destination = forwarding_.destination_of(view.destination);
    Spooled spooled{describe(view, first, destination, now), sender_of(view, first)};
    spooled.bundle.requests &= static_cast<std::uint8_t>(~(kRequestCustody | kRequestCritical));
    note_fit(destination.node, view, first);
    const routing::BundleFacts facts = facts_of(view, destination, spooled.bundle, spooled.sender);
    const bool fallback = forwarding_.decide(facts, context_.clock.dtn_at(now)).fallback;
    if (gets_hop_limit(view, first, fallback)) spooled.bundle.requests |= kRequestHopLimit;
    if (comes_again(view, first, fallback)) {
        spooled.bundle.requests |= kRequestLoopDelay;
        note_loop(view, first, facts, now);
    }
    return spooled;
}

void Dispatcher::dispatch_again(const Batch &batch, TimePoint now) {
    for (const BatchedBundle &bundle : batch.bundles) {
        if (bundle.expiry <= context_.clock.expiry_time(now)) {
            context_.record(batch, bundle, history::Ending::kExpired,
                            bp::ReportReason::kLifetimeExpired, now);
            (void)outcomes_.set_outcome(batch, bundle, Outcome::kExpired, batch.upstream, now);
            continue;
        }
        const auto slices = batch.slices_of(bundle);
        const auto view = bp::parse(slices);
        FARLINK_INVARIANT(view.has_value());
        slabs_of_slices(batch.slabs, slices, slabs_);
        dispatch(*view,
                 {slices, slabs_, bundle.size, kNoUpstream, batch.upstream, bundle.transfer,
                  &bundle, batch.sender},
                 now);
    }
    slabs_.clear();
}

void Dispatcher::delete_without_hops(const bp::BundleView &view, const Arrival &arrival,
                                     TimePoint now) {
    context_.counters.increment(IngressCounter::kDeletedHopLimit);
    if (!context_.notices.hop_limit_exceeded)
        context_.notices.hop_limit_exceeded = HopLimitExceeded{
            bp::to_string(view.source), bp::to_string(view.destination), view.hop_limit};
    context_.record(view, arrival.size, arrival.sender, history::Ending::kDeleted,
                    bp::ReportReason::kHopLimitExceeded, now);
    if ((view.requests & kReportDeletion) != 0)
        local_.report(bus::ReportEvent::kDeleted, bp::ReportReason::kHopLimitExceeded,
                      arrival.slices.front().first(view.head_end), view.payload_length, now);
    context_.acknowledge(arrival, TransferDisposition::kSafe, now);
}

BatchedBundle Dispatcher::describe(const bp::BundleView &view, const Arrival &arrival,
                                   const routing::Destination &destination, TimePoint now) {
    const BatchedBundle *const before = arrival.again;
    const config::NodeConfig &config = context_.config;
    BatchedBundle bundle;
    bundle.size = arrival.size;
    bundle.arrival = before == nullptr ? take_arrival_number(now) : before->arrival;
    bundle.priority = before != nullptr ? before->priority
                                        : arrival.asked.value_or(priority_of(view, destination));
    bundle.flow = bp::flow_key(view.destination, bundle.priority);
    // A lifetime that counts from the arrival does not begin anew.
    bundle.expiry = before == nullptr ? view.expiry(context_.clock.dtn_at(now)) : before->expiry;
    bundle.received = before == nullptr ? now : before->received;
    bundle.slice_count = static_cast<std::uint32_t>(arrival.slices.size());
    bundle.primary_end = view.primary_end;
    bundle.head_end = view.head_end;
    bundle.version = view.version;
    bundle.requests = config.status_reports ? view.requests : 0;
    bundle.transfer = arrival.transfer;
    if (bp::v6::wants_custody(view)) {
        bundle.requests |= kRequestCustody;
        // RFC 5050 section 5.13: the deletion of a bundle in custody is reported in any case.
        if (config.status_reports) bundle.requests |= kReportDeletion;
    }
    if (is_critical(view, destination, bundle.priority)) bundle.requests |= kRequestCritical;
    return bundle;
}

// Numbers of several instances are never equal, and grow with the time, so that bundles of one
// instance are not older for ever than those of another.
std::uint64_t Dispatcher::take_arrival_number(TimePoint now) {
    const std::uint64_t step = context_.config.threads.instances;
    if (step > 1) {
        if (first_bundle_ == kNever) first_bundle_ = now;
        const auto passed = static_cast<std::uint64_t>((now - first_bundle_).count());
        next_arrival_ = std::max(next_arrival_, first_arrival_ + passed - passed % step);
    }
    return std::exchange(next_arrival_, next_arrival_ + step);
}

// A session whose peer is not certain (UDP, TCP without a node id) brings bundles that name the
// previous node (RFC 9171 section 4.4.1). Only a neighbour counts: a bundle could go back to no
// other node, and false claims must not make ever more flows.
NodeNumber Dispatcher::sender_of(const bp::BundleView &view, const Arrival &arrival) {
    if (arrival.sender != NodeNumber{} || view.previous_node == NodeNumber{}) return arrival.sender;
    if (claimed_.node != view.previous_node)
        claimed_ = {view.previous_node, forwarding_.leads_to(view.previous_node)};
    return claimed_.is_neighbour ? claimed_.node : NodeNumber{};
}

// The bundle goes to a link or to storage all the same: plans change.
void Dispatcher::note_fit(NodeNumber destination, const bp::BundleView &view,
                          const Arrival &arrival) {
    const std::uint64_t limit = forwarding_.max_bundle_bytes(destination);
    if (view.size <= limit) return;
    // A bundle in pieces is not cut; its first piece is not all of it.
    if (forwarding_.cuts_to_contact(destination) && view.size == arrival.size &&
        bp::may_be_fragmented(view, arrival.slices.front().first(view.head_end)))
        return;
    context_.counters.increment(IngressCounter::kFitsNoContact);
    context_.notices.exceeds_contacts = ExceedsContacts{destination, view.size, limit};
}

// BPv7 has no priority on the wire.
Priority Dispatcher::priority_of(const bp::BundleView &view,
                                 const routing::Destination &destination) const {
    if (view.version != kBpv7) return view.priority;
    return forwarding_.priority_of(view.source.node_number(), destination);
}

bool Dispatcher::is_critical(const bp::BundleView &view, const routing::Destination &destination,
                             Priority priority) const {
    // Without an identity its copies are not recognised, and would take every route again.
    if (!view.has_identity()) return false;
    if (view.version != kBpv7) return view.critical;
    return forwarding_.is_critical(view.source.node_number(), destination, priority);
}

// A bundle without a hop limit must not loop for ever where routes form a circle.
bool Dispatcher::gets_hop_limit(const bp::BundleView &view, const Arrival &arrival,
                                bool fallback) const {
    if (arrival.again != nullptr) return (arrival.again->requests & kRequestHopLimit) != 0;
    return fallback && context_.config.routing.add_hop_limit > 0 && view.version == kBpv7 &&
           !view.has_hop_count;
}

// True for a bundle that was here before and was passed on by a policy, a static route, the default
// gateway or a detour: it loops. Storage delays it, longer each time. A neighbour that repeats a
// bundle, or another neighbour that has it as well, causes no loop. That shows in the hops; a
// bundle that comes without them may be either, also one that got them here: a node on its way
// may drop them.
bool Dispatcher::comes_again(const bp::BundleView &view, const Arrival &arrival, bool fallback) {
    if (arrival.again != nullptr) return (arrival.again->requests & kRequestLoopDelay) != 0;
    if (!fallback) return false;
    const std::uint64_t rest = view.has_identity() ? 0 : hash_of_rest(view, arrival);
    const std::uint64_t hops = view.has_hop_count ? std::uint64_t{view.hop_count} + 1 : 0;
    const RecentPasses::Pass pass = context_.passes.note(view.identity() ^ rest, hops);
    if (pass == RecentPasses::Pass::kFirst) return false;
    return pass == RecentPasses::Pass::kReturn || !view.has_hop_count;
}

void Dispatcher::note_loop(const bp::BundleView &view, const Arrival &arrival,
                           const routing::BundleFacts &bundle, TimePoint now) {
    if (arrival.again != nullptr) return;
    context_.counters.increment(IngressCounter::kReturnedInLoop);
    if (context_.notices.returned_in_loop) return;
    const NodeNumber next_hop =
        forwarding_.decide(bundle, context_.clock.dtn_at(now)).hop.neighbour;
    context_.notices.returned_in_loop =
        ReturnedInLoop{bp::to_string(view.destination), arrival.from,
                       context_.upstreams.link(arrival.from), bundle.sender, next_hop};
}

// A link that is too small for a bundle carries its fragments.
bool Dispatcher::takes(const OutputQueue &queue, std::uint64_t size, const CutCandidate &bundle) {
    if (size <= queue.max_bundle_bytes) return true;
    return queue.fragments &&
           bp::may_be_fragmented(bundle.view,
                                 bundle.arrival.slices.front().first(bundle.view.head_end));
}

// Fragments are joined in storage, and custody is taken of what is there.
std::size_t Dispatcher::queue_to(LinkId application, const BatchedBundle &bundle,
                                 const CutCandidate &whole, TimePoint now) {
    const bool waits = whole.view.is_fragment || (bundle.requests & kRequestCustody) != 0;
    const OutputQueue *queue = waits ? nullptr : queues_.queue_of(application);
    if (queue == nullptr || !queue->up || is_behind(bundle.flow, whole.arrival, now))
        return NextHopQueues::kStorageQueue;
    return queues_.index_of(*queue);
}

// The first candidate that is wide enough for the bundle and delivers it in time. If its link is
// down, or leads to another node by now, or no candidate fits, the bundle waits in storage: the
// router decides when it takes another route.
std::size_t Dispatcher::queue_for(const routing::BundleFacts &bundle, std::uint64_t flow,
                                  const CutCandidate &whole, bool &fallback, TimePoint now) {
    const routing::Decision decision =
        forwarding_.decide(bundle, context_.clock.dtn_at(now), [&](const routing::NextHop &hop) {
            const OutputQueue *queue = queues_.open_queue(hop);
            return queue == nullptr || takes(*queue, bundle.size_bytes, whole);
        });
    fallback = decision.fallback;
    const OutputQueue *queue = decision.fits ? queues_.open_queue(decision.hop) : nullptr;
    if (queue == nullptr || is_behind(flow, whole.arrival, now))
        return NextHopQueues::kStorageQueue;
    return queues_.index_of(*queue);
}

bool Dispatcher::stays_behind(std::uint64_t flow, const Arrival &arrival, TimePoint now) {
    if (context_.config.storage.overtake) return false;
    context_.catch_up.pause(flow, arrival.from, now);
    return true;
}

}  // namespace farlink::ingress
