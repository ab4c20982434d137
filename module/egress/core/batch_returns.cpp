// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/batch_returns.hpp"

#include <algorithm>
#include <utility>

#include "common/bp/arriving_bundle.hpp"
#include "common/bp/parse.hpp"
#include "common/buffer/batch_part.hpp"

namespace farlink::egress {

using history::Ending;

void BatchReturns::set_outcome(Batch &batch, BatchedBundle &bundle, Outcome outcome) {
    telemetry::EgressCounters &counters = context_.counters;
    bundle.outcome = outcome;
    ++batch.done;
    if (outcome == Outcome::kSent) {
        if (batch.piece.last()) counters.increment(EgressCounter::kForwarded);
        counters.add(EgressCounter::kForwardedBytes, bundle.size);
        end(batch, bundle, Ending::kSent, bp::ReportReason::kNone);
    } else if (outcome == Outcome::kExpired) {
        counters.increment(EgressCounter::kExpired);
        end(batch, bundle, Ending::kExpired, bp::ReportReason::kLifetimeExpired);
    } else if (outcome == Outcome::kPartSent) {
        counters.increment(EgressCounter::kPartReturns);
    } else if (outcome == Outcome::kTooLate) {
        counters.increment(EgressCounter::kTooLateReturns);
    } else if (outcome == Outcome::kNotSent) {
        counters.increment(EgressCounter::kLinkDownReturns);
    } else if (outcome == Outcome::kRefused) {
        counters.increment(EgressCounter::kRefusedReturns);
    } else if (outcome == Outcome::kTooLarge) {
        counters.increment(EgressCounter::kTooLargeReturns);
    } else if (outcome == Outcome::kDeletedHopLimit) {
        counters.increment(EgressCounter::kRenderDeletedHopLimit);
        end(batch, bundle, Ending::kDeleted, bp::ReportReason::kHopLimitExceeded);
    } else if (outcome == Outcome::kDeletedUnreadable) {
        counters.increment(EgressCounter::kRenderDeletedMalformed);
        end(batch, bundle, Ending::kDeleted, bp::ReportReason::kBlockUnintelligible);
    }
}

void BatchReturns::set_cut_outcome(ServedBatch &served, std::uint64_t place) {
    const Outcome outcome = served.cuts->outcome_of(place);
    if (outcome == Outcome::kPartSent)
        served.batch->sent_payload = served.cuts->find(place)->payload_bytes;
    set_outcome(*served.batch, served.batch->bundles[place], outcome);
}

/// Of a bundle whose link is gone. A neighbour that has refused a fragment has refused the bundle.
/// Otherwise the fragments that it has need not be sent again, if the bundle may leave in parts.
void BatchReturns::set_unsent(ServedBatch &served, std::uint64_t place) {
    const FragmentedBundles::Cut *const cut =
        served.cuts == nullptr ? nullptr : served.cuts->find(place);
    const std::uint64_t sent = cut == nullptr ? 0 : served.cuts->payload_handed_over(*cut);
    Outcome outcome = Outcome::kNotSent;
    if (cut != nullptr && cut->failure != Outcome::kPending) {
        outcome = cut->failure;
    } else if (sent > 0) {
        served.batch->sent_payload = sent;
        outcome = Outcome::kPartSent;
    }
    set_outcome(*served.batch, served.batch->bundles[place], outcome);
}

void BatchReturns::end(const Batch &batch, const BatchedBundle &bundle, Ending ending,
                       bp::ReportReason reason) {
    if (context_.history.on()) record(batch, bundle, ending, reason);
    report(batch, bundle,
           ending == Ending::kSent ? bus::ReportEvent::kForwarded : bus::ReportEvent::kDeleted,
           reason);
}

void BatchReturns::record_sent(const EgressLink &link, const ServedBatch &served) {
    const Batch &batch = *served.batch;
    history::Passage passage{.ending = Ending::kSent,
                             .link = link.id,
                             .sender = batch.sender,
                             .time = context_.clock.dtn_at(context_.now)};
    if (!batch.piece.present()) return context_.history.add_batch(batch, passage);
    if (!batch.piece.last()) return;
    passage.size = served.report.bundle_bytes;
    context_.history.add_head(served.report.octets, served.report.payload_length, passage);
}

// Of a bundle in pieces only the first piece has the head; when the last one has left,
// record_sent() has it.
void BatchReturns::record(const Batch &batch, const BatchedBundle &bundle, Ending ending,
                          bp::ReportReason reason) {
    const bool has_head = batch.piece.first() && (batch.piece.last() || ending != Ending::kSent);
    if (!has_head) return;
    context_.history.add(batch.slices_of(bundle), bundle.version,
                         {.ending = ending,
                          .reason = static_cast<std::uint8_t>(reason),
                          .size = bundle.size + batch.piece.left,
                          .link = ending == Ending::kSent ? batch.link : kNoLink,
                          .sender = batch.sender,
                          .time = context_.clock.dtn_at(context_.now)});
}

// Ingress reports on its own bundles when their outcome comes back. Storage has no octets of what
// it has lent, so egress asks ingress for those reports.
void BatchReturns::report(const Batch &batch, const BatchedBundle &bundle, bus::ReportEvent event,
                          bp::ReportReason reason) {
    const std::uint8_t request =
        event == bus::ReportEvent::kForwarded ? kReportForwarding : kReportDeletion;
    if (batch.owner != BatchOwner::kStorage || (bundle.requests & request) == 0) return;
    const auto slices = batch.slices_of(bundle);
    const auto view =
        batch.piece.present() ? bp::ArrivingBundle().begin(slices) : bp::parse_again(slices);
    report_head(batch.slices[bundle.first_slice].first(bundle.head_end),
                view ? view->payload_length : 0, event, reason);
}

void BatchReturns::report_head(ByteView head, std::uint64_t payload_length, bus::ReportEvent event,
                               bp::ReportReason reason) {
    context_.messages.push_back({bus::AgentId::kIngress, false,
                                 bus::ReportRequest{event,
                                                    static_cast<std::uint8_t>(reason),
                                                    {head.begin(), head.end()},
                                                    payload_length}});
}

void BatchReturns::return_unsent(EgressLink &link) {
    while (!link.served.empty()) {
        ServedBatch &served = link.served.front();
        for (std::size_t place = 0; place < served.batch->bundles.size(); ++place)
            if (served.batch->bundles[place].outcome == Outcome::kPending)
                set_unsent(served, place);
        give_back(&link, link.served.pop_front());
    }
    return_queue(link);
}

void BatchReturns::return_queue(EgressLink &link) {
    if (!link.served.empty()) {
        ServedBatch &last = link.served.back();
        Batch &batch = *last.batch;
        if (last.cutting() && last.cuts->last().may_end_early && last.cuts->last().fragments > 0)
            end_cut_early(link);
        else if (last.cutting())
            abandon_cut(link, Outcome::kNotSent);
        for (; last.rendered < batch.bundles.size(); ++last.rendered)
            set_outcome(batch, batch.bundles[last.rendered], Outcome::kNotSent);
        finish_rendering(link);
    }
    while (!link.queue.empty()) return_whole(&link, link.queue.pop());
    end_pieces(link);
}

void BatchReturns::end_pieces(EgressLink &link) {
    link.pieces.end();
    while (BatchPtr piece = link.pieces.pop()) return_whole(&link, std::move(piece));
}

void BatchReturns::abandon_cut(EgressLink &link, Outcome failure) {
    ServedBatch &served = link.served.back();
    const bool done = served.cuts->abandon(failure);
    const FragmentedBundles::Cut &cut = served.cuts->last();
    BatchedBundle &bundle = served.batch->bundles[cut.place];
    if (done && bundle.outcome == Outcome::kPending)
        set_outcome(*served.batch, bundle, cut.failure);
}

void BatchReturns::end_cut_early(EgressLink &link) {
    ServedBatch &served = link.served.back();
    const bool done = served.cuts->end_early();
    const std::uint64_t place = served.cuts->last().place;
    if (done && served.batch->bundles[place].outcome == Outcome::kPending)
        set_cut_outcome(served, place);
}

void BatchReturns::return_whole(EgressLink *link, BatchPtr batch) {
    if (batch->piece.first())
        context_.counters.add(EgressCounter::kLinkDownReturns, batch->bundles.size());
    batch->uniform = Outcome::kNotSent;
    give_back(link, {.batch = std::move(batch), .cuts = nullptr, .report = {}});
}

void BatchReturns::retire(EgressLink &link) {
    while (!link.served.empty() &&
           link.served.front().batch->done == link.served.front().batch->bundles.size())
        give_back(&link, link.served.pop_front());
}

void BatchReturns::finish_rendering(EgressLink &link) {
    if (link.served.empty()) return;
    ServedBatch &last = link.served.back();
    Batch &batch = *last.batch;
    if (last.gone_through || last.rendered < batch.bundles.size()) return;
    last.gone_through = true;
    if (batch.done == 0 || batch.uniform != Outcome::kPending) return;
    if (batch.piece.present()) end_pieces(link);  // its first piece does not leave
    if (batch.done == batch.bundles.size()) return give_back(&link, link.served.pop_back());
    const auto has_not_left = [](const BatchedBundle &bundle) {
        return is_kept(bundle.outcome) || is_deleted(bundle.outcome) ||
               bundle.outcome == Outcome::kExpired;
    };
    if (std::ranges::none_of(batch.bundles, has_not_left)) return;
    BatchPtr part = make_part(batch, [&](std::size_t place) {
        const BatchedBundle &bundle = batch.bundles[place];
        return has_not_left(bundle) ? bundle.outcome : Outcome::kPending;
    });
    const std::uint64_t published = part->done;
    const std::uint64_t bytes = part->bytes;
    last.published += published;
    last.published_bytes += bytes;
    send_back(&link, std::move(part), published, bytes);
}

void BatchReturns::give_back(EgressLink *link, ServedBatch served) {
    const std::uint64_t bundles = served.batch->bundles.size() - served.published;
    const std::uint64_t bytes = served.batch->bytes - served.published_bytes;
    send_back(link, std::move(served.batch), bundles, bytes);
}

void BatchReturns::send_back(EgressLink *link, BatchPtr batch, std::uint64_t bundles,
                             std::uint64_t bytes) {
    context_.counters.subtract(EgressCounter::kQueued, bundles);
    context_.counters.subtract(EgressCounter::kQueuedBytes, bytes);
    if (link != nullptr) {
        telemetry::LinkCounters &counts = links_.tally(*link);
        counts.subtract(LinkCounter::kQueued, bundles);
        counts.subtract(LinkCounter::kQueuedBytes, bytes);
    }
    const auto owner =
        batch->owner == BatchOwner::kIngress ? bus::AgentId::kIngress : bus::AgentId::kStorage;
    context_.messages.push_back({owner, false, bus::BatchOutcome{std::move(batch)}});
}

}  // namespace farlink::egress
