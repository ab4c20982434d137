// SPDX-License-Identifier: Apache-2.0
// Bundles for the node itself. Its services recognise repeats and join fragments, whichever link
// they come by, so only the first instance of ingress has them; the others hand over to it.
#include "module/ingress/core/ingress_core.hpp"

namespace farlink::ingress {

void IngressCore::deliver(const bp::BundleView &view, const Arrival &arrival, TimePoint now) {
    SlabRef whole;
    ByteView bundle = arrival.slices.front();
    if (arrival.slices.size() > 1) {
        whole = join(arrival, now);
        if (!whole) return;
        bundle = {whole->data, arrival.size};
    }
    if (instance_ > 0) return hand_over(bundle, arrival, now);
    acknowledge(arrival, TransferDisposition::kSafe, now);
    deliver_here(view, bundle, arrival.sender, now);
}

void IngressCore::deliver_here(const bp::BundleView &view, ByteView bundle, NodeNumber sender,
                               TimePoint now) {
    const ByteView head = bundle.first(view.head_end);
    const Delivery delivery = services_.deliver(view, bundle, clock_.dtn_at(now));
    services_.end_custody(view, bundle, delivery, clock_.dtn_at(now), now);
    while (auto record = services_.poll_custody_record()) {
        record->sender = sender;
        messages_.push_back({bus::AgentId::kStorage, false, std::move(*record)});
    }
    while (const auto payload = services_.poll_ping_answer())
        if (auto reply = pings_.handle_answer(*payload, now))
            messages_.push_back({bus::AgentId::kSupervisor, false, std::move(*reply)});
    switch (delivery) {
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

// The request goes its way like any other bundle, also when that leads to this node.
void IngressCore::handle(const bus::PingRequest &request, TimePoint now) {
    if (!services_.ping(request, pings_.begin(request, now), clock_.dtn_at(now))) {
        constexpr std::string_view kError = "expected an endpoint, and version 6 or 7";
        bus::PingReply reply{.id = request.id, .error = {}, .taken = {}};
        reply.error.assign(kError.begin(), kError.end());
        return messages_.push_back({bus::AgentId::kSupervisor, false, std::move(reply)});
    }
    originate_pending(now);
    close_open_batches(kNoUpstream, now);
}

void IngressCore::hand_over(ByteView bundle, const Arrival &arrival, TimePoint now) {
    const auto number = relay_.take(bundle, arrival.waiting, arrival.transfer, arrival.sender);
    if (!number) {
        counters_.increment(IngressCounter::kDeletedNoResources);
        return acknowledge(arrival, TransferDisposition::kNoResources, now);
    }
    counters_.add(IngressCounter::kInFlight, 1);
    counters_.add(IngressCounter::kInFlightBytes, bundle.size());
    messages_.push_back({bus::AgentId::kIngress, false, relay_.message(*number)});
}

void IngressCore::handle(const bus::LocalDelivery &message, TimePoint now) {
    const ByteView bundle = message.bundle;
    if (const auto view = bp::parse({&bundle, 1})) {
        deliver_here(*view, bundle, message.neighbour, now);
        originate_pending(now);
        close_open_batches(kNoUpstream, now);
    }
    messages_.push_back({message.from, false, bus::LocalDelivered{message.number}});
}

void IngressCore::handle(const bus::LocalDelivered &answer, TimePoint now) {
    const auto handed_over = relay_.remove(answer.number);
    if (!handed_over) return;  // told twice: the first instance has begun anew in between
    release(1, handed_over->bundle.size());
    if (handed_over->waiting != kNoUpstream)
        upstreams_.acknowledge(handed_over->waiting, handed_over->transfer, 1,
                               TransferDisposition::kSafe, now);
}

}  // namespace farlink::ingress
