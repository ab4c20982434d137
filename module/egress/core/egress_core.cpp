// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/egress_core.hpp"

#include <algorithm>

#include "common/bp/bundle_view.hpp"
#include "common/buffer/hop_limit_request.hpp"
#include "common/bus/link_snapshot.hpp"

namespace farlink::egress {
namespace {

/// Heads of one poll_transmit() call; small enough to stay in the first-level cache.
constexpr std::size_t kScratchBytes = 32 * 1024;
/// A next hop without room is left alone for so long; doubling as long as it goes on.
constexpr Duration kLeastBackOff = milliseconds(100);
constexpr Duration kLongestBackOff = seconds(5);

}  // namespace

OutductTraits terms_of(const config::OutductConfig &outduct) {
    const std::string &scheme = outduct.url.scheme;
    return {.node_id = outduct.node_id,
            .stored_share_percent = outduct.stored_share_percent,
            .rate_limit = outduct.rate_limit,
            .needs_answers = scheme == "tcpclv4" || scheme == "tcpclv3"};
}

EgressCore::EgressCore(NodeNumber local_node, const std::vector<config::OutductConfig> &outducts,
                       WallClock clock, bus::AgentId self)
    : backlog_(self),
      editor_(bp::EidView{bp::EidScheme::kIpn, local_node.value(), 0, {}}),
      clock_(clock),
      reading_(clock),
      scratch_(kScratchBytes) {
    for (const config::OutductConfig &outduct : outducts)
        add_link(outduct.id, outduct.next_hop, terms_of(outduct));
}

void EgressCore::add_link(LinkId id, NodeNumber neighbour, const OutductTraits &terms) {
    const auto [place, fresh] = places_.try_emplace(id, links_.size());
    if (fresh) links_.emplace_back();
    Link &link = links_[place->second];
    link.id = id;
    link.neighbour = neighbour;
    link.removed = false;
    link.queue.set_stored_share(terms.stored_share_percent);
    link.room.set_limit(terms.rate_limit);
    link.needs_answers = terms.needs_answers;
    link.editor.reset();
    if (const auto own = bp::Eid::parse(terms.node_id)) link.editor.emplace(own->view());
}

void EgressCore::judge_clock(DtnTime last_seen) {
    clock_.judge_start(last_seen);
    count_suspension();
}

void EgressCore::set_wall_clock(WallClock reading) {
    (void)clock_.handle_reading(reading);
    reading_ = reading;
    count_suspension();
}

void EgressCore::handle(const bus::ClockConfirm &, TimePoint) {
    clock_.confirm();
    count_suspension();
}

void EgressCore::count_suspension() {
    counters_.set(EgressCounter::kExpirySuspended, clock_.expiry_suspended() ? 1 : 0);
}

void EgressCore::remove_link(LinkId id) {
    Link *link = find(id);
    if (link == nullptr || link->removed) return;
    close(*link);
    link->removed = true;
    messages_.push_back(
        {bus::AgentId::kScheduler, false,
         bus::LinkStatus{.link = id, .neighbour = link->neighbour, .removed = true}});
}

EgressCore::Link *EgressCore::find(LinkId link) {
    const auto place = places_.find(link);
    return place == places_.end() ? nullptr : &links_[place->second];
}

std::uint64_t EgressCore::queued_bytes(LinkId link) const {
    const auto place = places_.find(link);
    return place == places_.end() ? 0 : links_[place->second].queue.bytes();
}

void EgressCore::mark_ready(Link &link) {
    if (std::exchange(link.ready, true)) return;
    ready_.push_back(static_cast<std::size_t>(places_.at(link.id)));
}

std::optional<LinkId> EgressCore::poll_ready() {
    if (ready_.empty()) return std::nullopt;
    Link &link = links_[ready_.pop_front()];
    link.ready = false;
    return link.id;
}

void EgressCore::handle(bus::ForwardBatch message, TimePoint now) {
    gate_.handle_forwarded(*message.batch);
    enqueue(std::move(message.batch));
    enqueue_released(now);
}

void EgressCore::handle(bus::ReleaseBatch message, TimePoint now) {
    if (draining_) return enqueue(std::move(message.batch));
    gate_.push(std::move(message.batch), now);
    enqueue_released(now);
}

void EgressCore::enqueue_released(TimePoint now) {
    while (BatchPtr batch = gate_.poll(now)) enqueue(std::move(batch));
}

void EgressCore::enqueue(BatchPtr batch) {
    FARLINK_INVARIANT(!batch->bundles.empty());
    Link *link = find(batch->link);
    counters_.increment(EgressCounter::kBatches);
    counters_.add(EgressCounter::kQueued, batch->bundles.size());
    counters_.add(EgressCounter::kQueuedBytes, batch->bytes);
    // A link that leads elsewhere since the batch was made carries nothing of it.
    const bool same_way = link != nullptr && link->neighbour == batch->next_hop;
    if (same_way && link->planned && link->connected) {
        if (link->rate.value() > 0) backlog_.note();
        telemetry::LinkCounters &counts = tally(*link);
        counts.add(LinkCounter::kQueued, batch->bundles.size());
        counts.add(LinkCounter::kQueuedBytes, batch->bytes);
        link->queue.push(std::move(batch));
        return mark_ready(*link);
    }
    return_whole(nullptr, std::move(batch));
}

void EgressCore::handle(const bus::ContactStart &event, TimePoint now) {
    set_end(event.link, event.ends);
    plan(event.link, true, event.rate, now);
}

void EgressCore::handle(const bus::ContactEnd &event, TimePoint now) {
    plan(event.link, false, {}, now);
}

// A contact's rate changes while it is open: that comes as another LinkUp.
void EgressCore::handle(const bus::LinkUp &event, TimePoint now) {
    plan(event.link, true, event.rate, now);
    set_owlt(event.link, event.owlt);
}

void EgressCore::handle(const bus::LinkSnapshot &snapshot, TimePoint now) {
    for (const bus::LinkEntry &entry : snapshot.links) {
        if (entry.planned) set_end(entry.link, entry.ends);
        plan(entry.link, entry.planned, entry.rate, now);
        if (entry.planned) set_owlt(entry.link, entry.owlt);
    }
    for (const Link &link : links_)
        if (!bus::names(snapshot, link.id)) plan(link.id, false, {}, now);
}

void EgressCore::plan(LinkId id, bool planned, BitRate rate, TimePoint now) {
    Link *link = find(id);
    if (link == nullptr || link->removed || (planned && draining_)) return;
    if (planned && link->rate != rate) {
        link->rate = rate;
        link->room.set_rate(rate, now);
        orders_.push_back({id, LinkCommand::kSetRate, rate});
    }
    if (link->planned == planned) return;
    link->planned = planned;
    link->suspended = !planned;
    orders_.push_back({id, planned ? LinkCommand::kOpen : LinkCommand::kSuspend});
    // What the link has begun it will finish; what still waits goes back at once.
    if (!planned) return_queue(*link);
}

void EgressCore::set_owlt(LinkId id, Duration owlt) {
    Link *link = find(id);
    if (link == nullptr || link->removed || link->owlt == owlt) return;
    link->owlt = owlt;
    if (link->needs_answers) link->room.set_answer_time(2 * owlt);
    orders_.push_back({id, LinkCommand::kSetOwlt, {}, owlt});
}

// In monotonic time, so that a step of the clock moves it no more than it moves the contact.
void EgressCore::set_end(LinkId id, DtnTime end) {
    constexpr std::uint64_t kFarAwayMs = 100ULL * 366 * 24 * 3600 * 1000;
    Link *link = find(id);
    if (link == nullptr || link->end == end) return;
    link->end = end;
    const bool far = end > reading_.dtn_ms && end - reading_.dtn_ms > kFarAwayMs;
    link->room.set_end(far ? kNever : reading_.point_of(end));
}

// Also what only waits for its next contact ends now.
void EgressCore::close(Link &link) {
    if (!link.planned && !std::exchange(link.suspended, false)) return;
    link.planned = false;
    orders_.push_back({link.id, LinkCommand::kClose});
    return_queue(link);
}

void EgressCore::drain() {
    draining_ = true;
    for (Link &link : links_) close(link);
    while (BatchPtr batch = gate_.take()) enqueue(std::move(batch));
}

void EgressCore::handle_connected(LinkId id, std::uint64_t max_bundle_bytes, TimePoint) {
    Link *link = find(id);
    if (link == nullptr || link->removed) return;
    link->connected = true;
    link->max_bundle_bytes = max_bundle_bytes;
    link->not_before = {};
    link->room.handle_connected();
    counters_.increment(EgressCounter::kConnects);
    counters_.increment(EgressCounter::kConnected);
    tally(*link).increment(LinkCounter::kSessionsOpened);
    tally(*link).set(LinkCounter::kSessionsOpen, 1);
    publish_connected(*link);
}

void EgressCore::publish_connected(const Link &link) {
    messages_.push_back({bus::AgentId::kScheduler, false,
                         bus::LinkStatus{.link = link.id,
                                         .neighbour = link.neighbour,
                                         .connected = true,
                                         .max_bundle_bytes = link.max_bundle_bytes}});
}

void EgressCore::handle(const bus::ModuleLost &lost, TimePoint now) {
    if (!bus::is_ingress(lost.module)) return;
    gate_.handle_lost(bus::instance_of(lost.module));
    enqueue_released(now);
}

void EgressCore::handle(const bus::ModuleBack &back, TimePoint) {
    if (bus::is_ingress(back.module)) gate_.handle_back(bus::instance_of(back.module));
    if (back.module == bus::AgentId::kScheduler)
        for (const Link &link : links_)
            if (link.connected && !link.removed) publish_connected(link);
    if (back.module == bus::AgentId::kRouter) backlog_.publish_again();
}

void EgressCore::handle_disconnected(LinkId id, TimePoint) {
    Link *link = find(id);
    if (link == nullptr) return;
    if (link->connected) {
        counters_.subtract(EgressCounter::kConnected, 1);
        tally(*link).set(LinkCounter::kSessionsOpen, 0);
    }
    if (link->connected && !link->removed)
        messages_.push_back({bus::AgentId::kScheduler, false,
                             bus::LinkStatus{.link = id, .neighbour = link->neighbour}});
    link->connected = false;
    return_unsent(*link);
}

void EgressCore::set_outcome(Batch &batch, BatchedBundle &bundle, Outcome outcome) {
    bundle.outcome = outcome;
    ++batch.done;
    if (outcome == Outcome::kSent) {
        counters_.increment(EgressCounter::kForwarded);
        counters_.add(EgressCounter::kForwardedBytes, bundle.size);
        report(batch, bundle, bus::ReportEvent::kForwarded, bp::ReportReason::kNone);
    } else if (outcome == Outcome::kExpired) {
        counters_.increment(EgressCounter::kExpired);
        report(batch, bundle, bus::ReportEvent::kDeleted, bp::ReportReason::kLifetimeExpired);
    } else if (outcome == Outcome::kTooLate) {
        counters_.increment(EgressCounter::kTooLateReturns);
    } else if (outcome == Outcome::kNotSent) {
        counters_.increment(EgressCounter::kLinkDownReturns);
    } else if (outcome == Outcome::kRefused) {
        counters_.increment(EgressCounter::kRefusedReturns);
    } else if (outcome == Outcome::kDeletedHopLimit) {
        counters_.increment(EgressCounter::kRenderDeletedHopLimit);
        report(batch, bundle, bus::ReportEvent::kDeleted, bp::ReportReason::kHopLimitExceeded);
    } else if (outcome == Outcome::kDeletedUnreadable) {
        counters_.increment(EgressCounter::kRenderDeletedMalformed);
        report(batch, bundle, bus::ReportEvent::kDeleted, bp::ReportReason::kBlockUnintelligible);
    }
}

void EgressCore::handle_transmitted(LinkId id, std::uint64_t token, TimePoint) {
    Link *link = find(id);
    if (link == nullptr) return;
    for (std::size_t i = 0; i < link->served.size(); ++i) {
        Served &served = link->served[i];
        if (token <= served.first_token) break;
        const auto handed_over = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(token - served.first_token, served.rendered));
        Batch &batch = *served.batch;
        if (handed_over == batch.bundles.size() && batch.done == 0) {
            link->back_off = {};
            batch.uniform = Outcome::kSent;
            batch.done = handed_over;
            counters_.add(EgressCounter::kForwarded, handed_over);
            counters_.add(EgressCounter::kForwardedBytes, batch.bytes);
            count_sent(*link, handed_over, batch.bytes);
            if ((batch.requests & kReportForwarding) != 0)
                for (const BatchedBundle &bundle : batch.bundles)
                    report(batch, bundle, bus::ReportEvent::kForwarded, bp::ReportReason::kNone);
            continue;
        }
        for (; served.reported < handed_over; ++served.reported) {
            BatchedBundle &bundle = batch.bundles[served.reported];
            if (bundle.outcome != Outcome::kPending) continue;
            link->back_off = {};
            set_outcome(batch, bundle, Outcome::kSent);
            count_sent(*link, 1, bundle.size);
        }
    }
    retire(*link);
}

void EgressCore::handle_refused(LinkId id, std::uint64_t token, NextHopRefusal refusal,
                                TimePoint now) {
    Link *link = find(id);
    if (link == nullptr) return;
    for (std::size_t i = 0; i < link->served.size(); ++i) {
        Served &served = link->served[i];
        if (token < served.first_token || token - served.first_token >= served.rendered) continue;
        BatchedBundle &bundle = served.batch->bundles[token - served.first_token];
        if (served.batch->uniform != Outcome::kPending || bundle.outcome != Outcome::kPending)
            return;
        refuse(*link, *served.batch, bundle, refusal, now);
        served.gone_through = false;
        return retire(*link);
    }
}

void EgressCore::refuse(Link &link, Batch &batch, BatchedBundle &bundle, NextHopRefusal refusal,
                        TimePoint now) {
    if (refusal == NextHopRefusal::kHasIt) {
        count_sent(link, 1, bundle.size);
        return set_outcome(batch, bundle, Outcome::kSent);
    }
    counters_.increment(EgressCounter::kRefused);
    tally(link).increment(LinkCounter::kSendRefused);
    if (refusal == NextHopRefusal::kNoRoom && link.not_before <= now) {
        link.back_off = std::clamp(2 * link.back_off, kLeastBackOff, kLongestBackOff);
        link.not_before = now + link.back_off;
    }
    // Nothing is deleted for what a neighbour says: the bundle may be safe nowhere else.
    const bool waits = refusal == NextHopRefusal::kNotAcceptable ||
                       (refusal == NextHopRefusal::kAgain && refused_.spend(bundle.arrival));
    set_outcome(batch, bundle, waits ? Outcome::kRefused : Outcome::kNotSent);
}

void EgressCore::handle_writable(LinkId id) {
    if (Link *link = find(id); link != nullptr) mark_ready(*link);
}

TimePoint EgressCore::next_timeout() const {
    TimePoint next = std::min(backlog_.next_timeout(), gate_.next_timeout());
    for (const Link &link : links_)
        if (link.not_before > TimePoint{}) next = std::min(next, link.not_before);
    return next;
}

void EgressCore::handle_timeout(TimePoint now) {
    report_backlog(now);
    enqueue_released(now);
    for (Link &link : links_) {
        if (link.not_before == TimePoint{} || link.not_before > now) continue;
        link.not_before = {};
        mark_ready(link);
    }
}

// The router books what waits on the next contacts of the neighbour.
void EgressCore::report_backlog(TimePoint now) {
    if (backlog_.next_timeout() > now) return;
    for (const Link &link : links_) backlog_.add(link.neighbour, link.queue, link.rate);
    if (auto report = backlog_.poll(now))
        messages_.push_back({bus::AgentId::kRouter, false, std::move(*report)});
}

std::size_t EgressCore::poll_transmit(LinkId id, std::span<TxBundle> out, std::uint64_t max_bytes,
                                      TimePoint now) {
    Link *link = find(id);
    if (link == nullptr || !link->connected || !link->planned || link->not_before > now) return 0;
    const DtnTime today = clock_.expiry_time(now);
    std::size_t count = 0;
    std::size_t scratch_used = 0;
    std::uint64_t bytes = 0;
    while (count < out.size() && (count == 0 || bytes < max_bytes)) {
        if (!begin_batch(*link)) break;
        Served &served = link->served.back();
        Batch &batch = *served.batch;
        BatchedBundle &bundle = batch.bundles[served.rendered];
        const bp::TransitEditor &editor = link->editor ? *link->editor : editor_;
        const std::size_t bound = editor.bound(head_of(batch, bundle));
        if (scratch_used + bound > scratch_.size()) {
            if (count > 0) break;
            scratch_.resize(bound);
        }
        const std::uint64_t token = served.first_token + served.rendered++;
        if (bundle.expiry <= today) {
            set_outcome(batch, bundle, Outcome::kExpired);
            continue;
        }
        if (!link->room.admit(bundle.flow, bundle.size, now)) {
            set_outcome(batch, bundle, Outcome::kTooLate);
            continue;
        }
        TxBundle &tx = out[count];
        const MutableBytes space{scratch_.data() + scratch_used, scratch_.size() - scratch_used};
        if (!render(editor, batch, bundle, tx, space, now)) continue;
        scratch_used += tx.head.size();
        tx.token = token;
        bytes += tx.size;
        ++count;
    }
    finish_rendering(*link);
    return count;
}

bool EgressCore::begin_batch(Link &link) {
    if (!link.served.empty() &&
        link.served.back().rendered < link.served.back().batch->bundles.size())
        return true;
    finish_rendering(link);
    BatchPtr next = link.queue.pop();
    if (next == nullptr) return false;
    const std::uint64_t first = link.next_token;
    link.next_token += next->bundles.size();
    link.served.push_back({.batch = std::move(next), .first_token = first});
    return true;
}

bp::TransitHead EgressCore::head_of(const Batch &batch, const BatchedBundle &bundle) const {
    const bool limited = (bundle.requests & kRequestHopLimit) != 0;
    return {batch.slices[bundle.first_slice].first(bundle.head_end), bundle.primary_end,
            bundle.version, limited ? added_hop_limit_ : std::uint8_t{0}};
}

bool EgressCore::render(const bp::TransitEditor &editor, Batch &batch, BatchedBundle &bundle,
                        TxBundle &out, MutableBytes space, TimePoint now) {
    const auto residence = std::chrono::duration_cast<milliseconds>(now - bundle.received).count();
    const auto head =
        editor.render(head_of(batch, bundle),
                      static_cast<std::uint64_t>(std::max<std::int64_t>(residence, 0)), space);
    if (!head) {
        const bool hops = head.error() == bp::ParseError::kHopLimitExceeded;
        set_outcome(batch, bundle, hops ? Outcome::kDeletedHopLimit : Outcome::kDeletedUnreadable);
        return false;
    }
    const auto slices = batch.slices_of(bundle);
    out.head = space.first(*head);
    out.body = slices.front().subspan(bundle.head_end);
    out.rest = slices.subspan(1);
    out.size = *head + bundle.size - bundle.head_end;
    return true;
}

// Ingress reports on its own bundles when it hears of their outcome. Storage has no octets of what
// it has lent, so egress asks for those reports.
void EgressCore::report(const Batch &batch, const BatchedBundle &bundle, bus::ReportEvent event,
                        bp::ReportReason reason) {
    const std::uint8_t request =
        event == bus::ReportEvent::kForwarded ? kReportForwarding : kReportDeletion;
    if (batch.owner != BatchOwner::kStorage || (bundle.requests & request) == 0) return;
    const auto view = bp::parse(batch.slices_of(bundle));
    const ByteView head = head_of(batch, bundle).octets;
    messages_.push_back({bus::AgentId::kIngress, false,
                         bus::ReportRequest{event,
                                            static_cast<std::uint8_t>(reason),
                                            {head.begin(), head.end()},
                                            view ? view->payload_length : 0}});
}

std::optional<LinkOrder> EgressCore::poll_link_order() {
    if (orders_.empty()) return std::nullopt;
    return orders_.pop_front();
}

std::optional<bus::Outgoing> EgressCore::poll_message() {
    if (messages_.empty()) return std::nullopt;
    return messages_.pop_front();
}

}  // namespace farlink::egress
