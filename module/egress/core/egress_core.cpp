// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/egress_core.hpp"

#include <algorithm>
#include <utility>

namespace farlink::egress {
namespace {

/// The pause after a next hop had no resources; it doubles while that goes on.
constexpr Duration kLeastBackOff = milliseconds(100);
constexpr Duration kLongestBackOff = seconds(5);

}  // namespace

EgressCore::EgressCore(NodeNumber local_node, const std::vector<config::OutductConfig> &outducts,
                       WallClock clock, bus::AgentId self, history::BundleHistory history)
    : context_(clock, std::move(history)),
      returns_(context_, links_),
      contacts_(links_, returns_, clock),
      renderer_(context_, links_, returns_, local_node),
      backlog_(self) {
    for (const config::OutductConfig &outduct : outducts)
        add_link(outduct.id, outduct.next_hop, traits_of(outduct));
}

// ---- the clock

void EgressCore::judge_clock(DtnTime last_seen) {
    context_.clock.judge_start(last_seen);
    count_suspension();
}

void EgressCore::set_wall_clock(WallClock reading) {
    (void)context_.clock.handle_reading(reading);
    contacts_.set_wall_clock(reading);
    count_suspension();
}

void EgressCore::handle(const bus::ClockConfirm &, TimePoint) {
    context_.clock.confirm();
    count_suspension();
}

void EgressCore::count_suspension() {
    context_.counters.set(EgressCounter::kExpirySuspended,
                          context_.clock.expiry_suspended() ? 1 : 0);
}

// ---- links and contacts

void EgressCore::add_link(LinkId id, NodeNumber neighbour, const OutductTraits &traits) {
    links_.add(id, neighbour, traits);
}

void EgressCore::remove_link(LinkId id) {
    EgressLink *link = links_.find(id);
    if (link == nullptr || link->removed) return;
    contacts_.close(*link);
    link->removed = true;
    context_.messages.push_back(
        {bus::AgentId::kScheduler, false,
         bus::LinkStatus{.link = id, .neighbour = link->neighbour, .removed = true}});
}

void EgressCore::handle(const bus::ContactStart &event, TimePoint now) {
    contacts_.handle(event, now);
}

void EgressCore::handle(const bus::ContactEnd &event, TimePoint now) {
    contacts_.handle(event, now);
}

void EgressCore::handle(const bus::LinkUp &event, TimePoint now) {
    contacts_.handle(event, now);
}

void EgressCore::handle(const bus::LinkSnapshot &snapshot, TimePoint now) {
    contacts_.handle(snapshot, now);
}

void EgressCore::drain() {
    contacts_.drain();
    while (BatchPtr batch = gate_.take()) enqueue(std::move(batch));
}

void EgressCore::handle_connected(LinkId id, std::uint64_t max_bundle_bytes, TimePoint,
                                  bool takes_pieces) {
    EgressLink *link = links_.find(id);
    if (link == nullptr || link->removed) return;
    link->connected = true;
    link->takes_pieces = takes_pieces;
    links_.set_max_bundle_bytes(*link, max_bundle_bytes);
    link->not_before = {};
    link->volume.handle_connected();
    context_.counters.increment(EgressCounter::kConnects);
    context_.counters.increment(EgressCounter::kConnected);
    links_.tally(*link).increment(LinkCounter::kSessionsOpened);
    links_.tally(*link).set(LinkCounter::kSessionsOpen, 1);
    publish_connected(*link);
}

void EgressCore::publish_connected(const EgressLink &link) {
    context_.messages.push_back({bus::AgentId::kScheduler, false,
                                 bus::LinkStatus{.link = link.id,
                                                 .neighbour = link.neighbour,
                                                 .connected = true,
                                                 .max_bundle_bytes = link.max_bundle_bytes,
                                                 .fragments = link.fragment,
                                                 .cuts_to_contact = link.fragment_to_contact}});
}

void EgressCore::handle_disconnected(LinkId id, TimePoint) {
    EgressLink *link = links_.find(id);
    if (link == nullptr) return;
    if (link->connected) {
        context_.counters.subtract(EgressCounter::kConnected, 1);
        links_.tally(*link).set(LinkCounter::kSessionsOpen, 0);
    }
    if (link->connected && !link->removed)
        context_.messages.push_back(
            {bus::AgentId::kScheduler, false,
             bus::LinkStatus{.link = id,
                             .neighbour = link->neighbour,
                             .cuts_to_contact = link->fragment_to_contact}});
    link->connected = false;
    returns_.return_unsent(*link);
}

// ---- other modules

void EgressCore::handle(const bus::ModuleLost &lost, TimePoint now) {
    if (lost.module == bus::AgentId::kStorage)
        for (EgressLink &link : links_.all()) break_off(link);
    if (!bus::is_ingress(lost.module)) return;
    gate_.handle_lost(bus::instance_of(lost.module));
    enqueue_released(now);
}

void EgressCore::handle(const bus::ModuleBack &back, TimePoint) {
    if (bus::is_ingress(back.module)) gate_.handle_back(bus::instance_of(back.module));
    if (back.module == bus::AgentId::kScheduler)
        for (const EgressLink &link : links_.all())
            if (link.connected && !link.removed) publish_connected(link);
    if (back.module == bus::AgentId::kRouter) backlog_.publish_again();
}

// ---- batches

void EgressCore::handle(bus::ForwardBatch message, TimePoint now) {
    gate_.handle_forwarded(*message.batch);
    enqueue(std::move(message.batch));
    enqueue_released(now);
}

void EgressCore::handle(bus::ReleaseBatch message, TimePoint now) {
    if (contacts_.draining()) return enqueue(std::move(message.batch));
    gate_.push(std::move(message.batch), now);
    enqueue_released(now);
}

void EgressCore::enqueue_released(TimePoint now) {
    while (BatchPtr batch = gate_.poll(now)) enqueue(std::move(batch));
}

void EgressCore::enqueue(BatchPtr batch) {
    if (batch->bundles.empty()) return take_marker(std::move(batch));
    EgressLink *link = links_.find(batch->link);
    context_.counters.increment(EgressCounter::kBatches);
    context_.counters.add(EgressCounter::kQueued, batch->bundles.size());
    context_.counters.add(EgressCounter::kQueuedBytes, batch->bytes);
    // A link that leads to another node since the batch was made carries nothing of it.
    const bool same_way = link != nullptr && link->neighbour == batch->next_hop;
    if (!same_way || !link->planned || !link->connected)
        return returns_.return_whole(nullptr, std::move(batch));
    if (link->rate.value() > 0) backlog_.note();
    links_.count_queued(*link, *batch);
    if (batch->piece.present())
        enqueue_piece(*link, std::move(batch));
    else
        link->queue.push(std::move(batch));
    links_.mark_ready(*link);
}

// The first piece takes its turn, the others follow it. Storage releases one such bundle at a time
// by a link.
void EgressCore::enqueue_piece(EgressLink &link, BatchPtr batch) {
    if (batch->piece.first()) {
        link.pieces.expect(batch->piece);
        link.queue.push(std::move(batch));
    } else if (link.pieces.expects(batch->piece)) {
        link.pieces.push(std::move(batch));
    } else {
        returns_.return_whole(&link, std::move(batch));
    }
}

// Storage has no further pieces. What the neighbour has of the bundle is dropped there when the
// session ends; a first piece that still waits is returned when its turn comes.
void EgressCore::break_off(EgressLink &link) {
    if (link.pieces.begun()) contacts_.break_off(link.id);
    returns_.end_pieces(link);
}

void EgressCore::take_marker(BatchPtr marker) {
    EgressLink *link = links_.find(marker->link);
    if (link != nullptr && link->pieces.expects(marker->piece)) break_off(*link);
    marker->uniform = Outcome::kSent;
    context_.messages.push_back(
        {bus::AgentId::kStorage, false, bus::BatchOutcome{std::move(marker)}});
}

std::size_t EgressCore::poll_transmit(LinkId id, std::span<TxBundle> out, std::uint64_t max_bytes,
                                      TimePoint now) {
    EgressLink *link = links_.find(id);
    if (link == nullptr || !link->connected || !link->planned || link->not_before > now) return 0;
    context_.now = now;
    return renderer_.render(*link, out, max_bytes, now);
}

void EgressCore::handle_transmitted(LinkId id, std::uint64_t token, TimePoint now) {
    EgressLink *link = links_.find(id);
    if (link == nullptr) return;
    context_.now = now;
    for (std::size_t i = 0; i < link->served.size(); ++i) {
        ServedBatch &served = link->served[i];
        if (token <= served.first_token) break;
        const std::uint32_t handed_over = served.handed_over(token);
        Batch &batch = *served.batch;
        if (served.cuts != nullptr) served.cuts->cover(token);
        if (link->pieces.is_refused(batch.piece) && batch.done == 0) [[unlikely]] {
            returns_.set_outcome(batch, batch.bundles.front(), Outcome::kNotSent);
            continue;
        }
        if (handed_over == batch.bundles.size() && batch.done == 0 && served.cuts == nullptr) {
            link->back_off = {};
            batch.uniform = Outcome::kSent;
            batch.done = handed_over;
            const std::uint32_t whole = batch.piece.last() ? handed_over : 0;
            context_.counters.add(EgressCounter::kForwarded, whole);
            context_.counters.add(EgressCounter::kForwardedBytes, batch.bytes);
            links_.count_sent(*link, whole, batch.bytes);
            if (context_.history.on()) returns_.record_sent(*link, served);
            if (served.report.requested)
                returns_.report_head(served.report.octets, served.report.payload_length,
                                     bus::ReportEvent::kForwarded, bp::ReportReason::kNone);
            else if (batch.piece.first() && batch.piece.last() &&
                     (batch.requests & kReportForwarding) != 0)
                for (const BatchedBundle &bundle : batch.bundles)
                    returns_.report(batch, bundle, bus::ReportEvent::kForwarded,
                                    bp::ReportReason::kNone);
            continue;
        }
        for (; served.reported < handed_over; ++served.reported) {
            BatchedBundle &bundle = batch.bundles[served.reported];
            if (bundle.outcome != Outcome::kPending) continue;
            if (served.cuts != nullptr &&
                served.cuts->outcome_of(served.reported) != Outcome::kSent) {
                returns_.set_cut_outcome(served, served.reported);
                served.gone_through = false;
                continue;
            }
            link->back_off = {};
            returns_.set_outcome(batch, bundle, Outcome::kSent);
            links_.count_sent(*link, 1, bundle.size);
        }
    }
    returns_.retire(*link);
}

void EgressCore::handle_refused(LinkId id, std::uint64_t token, NextHopRefusal refusal,
                                TimePoint now) {
    EgressLink *link = links_.find(id);
    if (link == nullptr) return;
    context_.now = now;
    for (std::size_t i = 0; i < link->served.size(); ++i) {
        ServedBatch &served = link->served[i];
        if (token < served.first_token || token - served.first_token >= served.tokens()) continue;
        const std::uint64_t place = served.cuts == nullptr
                                        ? token - served.first_token
                                        : served.cuts->place_of(served.first_token, token);
        if (served.batch->uniform != Outcome::kPending ||
            served.batch->bundles[place].outcome != Outcome::kPending)
            return;
        refuse(*link, served, place, refusal, now);
        served.gone_through = false;
        return returns_.retire(*link);
    }
}

void EgressCore::refuse(EgressLink &link, ServedBatch &served, std::uint64_t place,
                        NextHopRefusal refusal, TimePoint now) {
    BatchedBundle &bundle = served.batch->bundles[place];
    FragmentedBundles::Cut *const cut = served.cuts == nullptr ? nullptr : served.cuts->find(place);
    if (refusal == NextHopRefusal::kHasIt) {
        // Of a cut bundle the next hop has this fragment only.
        if (cut != nullptr) return;
        links_.count_sent(link, 1, bundle.size);
        return returns_.set_outcome(*served.batch, bundle, Outcome::kSent);
    }
    if (cut == nullptr) {
        if (served.batch->piece.present()) link.pieces.set_refused(served.batch->piece);
        if (link.pieces.expects(served.batch->piece)) returns_.end_pieces(link);
        return returns_.set_outcome(*served.batch, bundle, judge(link, bundle, refusal, now));
    }
    // The link still refers to the other fragments; the bundle has its outcome when it does not.
    if (cut->failure != Outcome::kPending) return;
    cut->failure = judge(link, bundle, refusal, now);
    if (served.cutting() && &served.cuts->last() == cut) returns_.abandon_cut(link, cut->failure);
}

Outcome EgressCore::judge(EgressLink &link, const BatchedBundle &bundle, NextHopRefusal refusal,
                          TimePoint now) {
    if (refusal == NextHopRefusal::kNotSent) return Outcome::kNotSent;
    if (refusal == NextHopRefusal::kTooLarge) {
        links_.tally(link).increment(LinkCounter::kSendTooLarge);
        return Outcome::kTooLarge;
    }
    const bool unanswered = refusal == NextHopRefusal::kUnacknowledged;
    if (!unanswered) context_.counters.increment(EgressCounter::kRefused);
    links_.tally(link).increment(unanswered ? LinkCounter::kSendUnacknowledged
                                            : LinkCounter::kSendRefused);
    // The end of the session that a refusal announces may be long in coming.
    const bool later = refusal == NextHopRefusal::kNoRoom || refusal == NextHopRefusal::kLinkEnds;
    if (later && link.not_before <= now) {
        link.back_off = std::clamp(2 * link.back_off, kLeastBackOff, kLongestBackOff);
        link.not_before = now + link.back_off;
    }
    // No refusal deletes a bundle: it may be safe nowhere else.
    const bool again = refusal == NextHopRefusal::kAgain || unanswered;
    const std::uint32_t cost = unanswered ? RefusalBudget::kCostOfSilence : 1;
    const bool waits = refusal == NextHopRefusal::kNotAcceptable ||
                       (again && refused_.spend(bundle.arrival, cost));
    return waits ? Outcome::kRefused : Outcome::kNotSent;
}

void EgressCore::handle_writable(LinkId id) {
    if (EgressLink *link = links_.find(id); link != nullptr) links_.mark_ready(*link);
}

// ---- time

TimePoint EgressCore::next_timeout() const {
    TimePoint next = std::min(backlog_.next_timeout(), gate_.next_timeout());
    for (const EgressLink &link : links_.all())
        if (link.not_before > TimePoint{}) next = std::min(next, link.not_before);
    return next;
}

void EgressCore::handle_timeout(TimePoint now) {
    report_backlog(now);
    enqueue_released(now);
    for (EgressLink &link : links_.all()) {
        if (link.not_before == TimePoint{} || link.not_before > now) continue;
        link.not_before = {};
        links_.mark_ready(link);
    }
}

// The router books what waits on the next contacts of the neighbour.
void EgressCore::report_backlog(TimePoint now) {
    if (backlog_.next_timeout() > now) return;
    for (const EgressLink &link : links_.all()) backlog_.add(link.neighbour, link.queue, link.rate);
    if (auto report = backlog_.poll(now))
        context_.messages.push_back({bus::AgentId::kRouter, false, std::move(*report)});
}

std::optional<bus::Outgoing> EgressCore::poll_message() {
    if (context_.messages.empty()) return std::nullopt;
    return context_.messages.pop_front();
}

}  // namespace farlink::egress
