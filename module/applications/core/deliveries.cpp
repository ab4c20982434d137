// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/deliveries.hpp"

#include <algorithm>
#include <utility>

#include "common/bp/eid/reserved.hpp"
#include "common/bp/parse.hpp"

namespace farlink::applications {
namespace {

/// The payload's part of each slice.
void find_payload(std::span<const ByteView> slices, const bp::BundleView &view,
                  std::vector<ByteView> &payload) {
    payload.clear();
    std::uint64_t at = 0;
    const std::uint64_t end = view.payload_offset + view.payload_length;
    for (const ByteView slice : slices) {
        const std::uint64_t from = std::max(at, view.payload_offset);
        const std::uint64_t to = std::min(at + slice.size(), end);
        if (from < to)
            payload.push_back(slice.subspan(static_cast<std::size_t>(from - at),
                                            static_cast<std::size_t>(to - from)));
        at += slice.size();
    }
}

constexpr std::uint8_t kBpv7 = 7;

std::uint64_t creation_ms(const bp::BundleView &view) {
    return view.version == kBpv7 ? view.creation_time : view.creation_time * kMsPerSecond;
}

Reception reception_of(const bp::BundleView &view, const BatchedBundle &bundle, DtnTime today) {
    Reception reception;
    reception.previous_node = view.previous_node.value();
    reception.hop_count = view.has_hop_count ? view.hop_count : 0;
    reception.hop_limit = view.has_hop_count ? view.hop_limit : 0;
    const DtnTime created = creation_ms(view);
    reception.age_ms = created > 0 && today > created ? today - created : view.age_ms;
    reception.priority = 1 + static_cast<std::uint64_t>(bundle.priority);
    return reception;
}

}  // namespace

void Deliveries::take(Endpoint *endpoint, BatchPtr batch, TimePoint now) {
    // A bundle in pieces is larger than what applications are given.
    if (batch->piece.present()) {
        batch->uniform = Outcome::kTooLarge;
        return give_back(std::move(batch));
    }
    if (endpoint == nullptr || !endpoint->up()) {
        counters_.add(ApplicationsCounter::kReturned, batch->bundles.size());
        batch->uniform = Outcome::kNotSent;
        return give_back(std::move(batch));
    }
    counters_.add(ApplicationsCounter::kQueued, batch->bundles.size());
    counters_.add(ApplicationsCounter::kQueuedBytes, batch->bytes);
    endpoint->queue.push(std::move(batch));
    distribute(*endpoint, now);
}

void Deliveries::distribute(Endpoint &endpoint, TimePoint now) {
    while (AppSession *const receiver = next_receiver(endpoint)) {
        const auto lease = endpoint.queue.take();
        if (!lease) break;
        if (give(*receiver, endpoint, *lease, now)) ++endpoint.turn;
    }
    return_finished(endpoint);
}

// In turns, so that receivers share the work.
AppSession *Deliveries::next_receiver(Endpoint &endpoint) {
    const std::size_t count = endpoint.receivers.size();
    for (std::size_t tried = 0; tried < count; ++tried) {
        AppSession &session =
            calls_.session_of(endpoint.receivers[(endpoint.turn + tried) % count]);
        if (!session.can_take()) continue;
        endpoint.turn = (endpoint.turn + tried) % count;
        return &session;
    }
    return nullptr;
}

/// False: the receiver has not got it, since there is nothing to get any more.
bool Deliveries::give(AppSession &receiver, Endpoint &endpoint, const DeliveryQueue::Lease &lease,
                      TimePoint now) {
    const BatchedBundle &bundle = lease.bundle();
    if (bundle.expiry <= clock_.expiry_time(now)) {
        expire(endpoint, lease, now);
        return false;
    }
    const auto view = bp::parse_again(lease.slices());
    if (!view || view->is_fragment) {
        counters_.increment(ApplicationsCounter::kUnreadable);
        record(lease, history::Ending::kDeleted, bp::ReportReason::kBlockUnintelligible, now);
        decide(endpoint, lease, Outcome::kDeletedUnreadable);
        return false;
    }
    // The number of a link is used again: what was under way to an endpoint that is no more.
    const bp::EidView to = view->destination;
    const bool is_here = bp::is_local_node(to) ? to.service == endpoint.eid.view().service
                                               : to == endpoint.eid.view();
    if (!is_here) {
        decide(endpoint, lease, Outcome::kNotSent);
        return false;
    }
    const bool has_identity = view->has_identity();
    const std::string &source = sources_.of(view->source);
    const std::string &destination = destinations_.of(view->destination);
    const std::uint64_t key = has_identity ? keys_.of(*view, source, destination) : 0;
    if (has_identity && is_done_with(endpoint, lease, key)) return false;
    BundleAdu adu{source,         destination,          {}, creation_ms(*view),
                  view->sequence, view->payload_length, 0,  {}};
    if (!view->report_to.is_null()) adu.report_to = report_tos_.of(view->report_to);
    if (view->is_admin_record) adu.flags = kAduIsStatusReport;
    Reception reception = reception_of(*view, bundle, clock_.dtn_at(now));
    reception.identity = has_identity ? view->identity() : 0;
    reception.repeated = bundle.received < started_ || lease.given_before ||
                         (has_identity && given_before_.contains(key));
    find_payload(lease.slices(), *view, payload_);
    receiver.give({lease, key, view->payload_length}, adu, reception, payload_, now);
    calls_.touch(receiver);
    return true;
}

/// A receiver has accepted it, or has it now.
bool Deliveries::is_done_with(Endpoint &endpoint, const DeliveryQueue::Lease &lease,
                              std::uint64_t key) {
    if (accepted_.contains(key)) {
        counters_.increment(ApplicationsCounter::kDuplicates);
        decide(endpoint, lease, Outcome::kSent);
        return true;
    }
    if (leased_.insert(key)) return false;
    copies_.emplace(key, lease);
    return true;
}

template <class OfCopy>
void Deliveries::end_lease(std::uint64_t key, OfCopy of_copy) {
    leased_.erase(key);
    if (copies_.empty()) return;
    const auto [begin, end] = copies_.equal_range(key);
    for (auto copy = begin; copy != end; ++copy) of_copy(copy->second);
    copies_.erase(begin, end);
}

void Deliveries::handle_accepted(Endpoint &endpoint, const LeasedAdu &adu, TimePoint now) {
    const BatchedBundle &bundle = adu.lease.bundle();
    record(adu.lease, history::Ending::kDelivered, bp::ReportReason::kNone, now);
    counters_.increment(ApplicationsCounter::kDelivered);
    counters_.add(ApplicationsCounter::kDeliveredBytes, bundle.size);
    ++endpoint.delivered;
    endpoint.delivered_bytes += bundle.size;
    if (adu.key != 0) {
        accepted_.add(adu.key);
        end_lease(adu.key, [&](const DeliveryQueue::Lease &copy) {
            counters_.increment(ApplicationsCounter::kDuplicates);
            decide(endpoint, copy, Outcome::kSent);
        });
    }
    if ((bundle.requests & kReportDelivery) != 0)
        report(adu.lease, bus::ReportEvent::kDelivered, bp::ReportReason::kNone, adu.payload_bytes);
    decide(endpoint, adu.lease, Outcome::kSent);
    return_finished(endpoint);
}

void Deliveries::take_back(Endpoint &endpoint, Ring<LeasedAdu> leases) {
    while (!leases.empty()) {
        LeasedAdu adu = leases.pop_front();
        counters_.increment(ApplicationsCounter::kRepeated);
        adu.lease.given_before = true;
        endpoint.queue.give_back(adu.lease);
        if (adu.key == 0) continue;
        given_before_.add(adu.key);
        end_lease(adu.key,
                  [&](const DeliveryQueue::Lease &copy) { endpoint.queue.give_back(copy); });
    }
}

void Deliveries::return_all(Endpoint &endpoint) {
    const std::uint64_t bundles = endpoint.queue.bundles();
    const std::uint64_t bytes = endpoint.queue.bytes();
    endpoint.queue.return_waiting();
    const std::uint64_t returned = bundles - endpoint.queue.bundles();
    counters_.add(ApplicationsCounter::kReturned, returned);
    counters_.subtract(ApplicationsCounter::kQueued, returned);
    counters_.subtract(ApplicationsCounter::kQueuedBytes, bytes - endpoint.queue.bytes());
    return_finished(endpoint);
}

void Deliveries::decide(Endpoint &endpoint, const DeliveryQueue::Lease &lease, Outcome outcome) {
    counters_.subtract(ApplicationsCounter::kQueued, 1);
    counters_.subtract(ApplicationsCounter::kQueuedBytes, lease.bundle().size);
    endpoint.queue.decide(lease, outcome);
}

// Its owner counts it. Storage has no octets of what it has lent, so the report is sent here.
void Deliveries::expire(Endpoint &endpoint, const DeliveryQueue::Lease &lease, TimePoint now) {
    counters_.increment(ApplicationsCounter::kExpired);
    record(lease, history::Ending::kExpired, bp::ReportReason::kLifetimeExpired, now);
    if (lease.batch().owner == BatchOwner::kStorage &&
        (lease.bundle().requests & kReportDeletion) != 0) {
        const auto view = bp::parse_again(lease.slices());
        report(lease, bus::ReportEvent::kDeleted, bp::ReportReason::kLifetimeExpired,
               view ? view->payload_length : 0);
    }
    decide(endpoint, lease, Outcome::kExpired);
}

void Deliveries::record(const DeliveryQueue::Lease &lease, history::Ending ending,
                        bp::ReportReason reason, TimePoint now) {
    if (!history_.on()) return;
    history_.add(lease.slices(), lease.bundle().version,
                 {.ending = ending,
                  .reason = static_cast<std::uint8_t>(reason),
                  .size = lease.bundle().size,
                  .sender = lease.batch().sender,
                  .time = clock_.dtn_at(now)});
}

void Deliveries::report(const DeliveryQueue::Lease &lease, bus::ReportEvent event,
                        bp::ReportReason reason, std::uint64_t payload_bytes) {
    const ByteView head = lease.slices().front().first(lease.bundle().head_end);
    calls_.send(
        bus::AgentId::kIngress,
        bus::ReportRequest{
            event, static_cast<std::uint8_t>(reason), {head.begin(), head.end()}, payload_bytes});
}

void Deliveries::return_finished(Endpoint &endpoint) {
    while (BatchPtr batch = endpoint.queue.poll_finished()) give_back(std::move(batch));
}

void Deliveries::give_back(BatchPtr batch) {
    const auto owner =
        batch->owner == BatchOwner::kStorage ? bus::AgentId::kStorage : bus::AgentId::kIngress;
    calls_.send(owner, bus::BatchOutcome{std::move(batch)});
}

}  // namespace farlink::applications
