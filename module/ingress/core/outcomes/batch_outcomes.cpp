// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/outcomes/batch_outcomes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/base/endpoint_links.hpp"

namespace farlink::ingress {

void BatchOutcomes::handle(BatchPtr batch, TimePoint now) {
    const LinkId link = batch->link;
    if (batch->whole != nullptr)
        take_part(std::move(batch), now);
    else
        take_batch(std::move(batch), now);
    // Outcomes may add queues, so the queue is looked up again.
    parts_.queues.pump(link == kNoLink ? parts_.queues.storage() : *parts_.queues.queue_of(link),
                       now);
}

void BatchOutcomes::take_batch(BatchPtr batch, TimePoint now) {
    OutputQueue &queue = parts_.queues.queue_of(*batch);
    std::size_t bundles = batch->bundles.size();
    for (const BatchedBundle &bundle : batch->bundles) {
        if (batch->uniform != Outcome::kPending) break;
        if (bundle.outcome != Outcome::kReturnedEarly) continue;
        batch->bytes -= bundle.size;
        --bundles;
    }
    queue.take_back(batch->bytes, bundles);
    parts_.queues.handle_returned(*batch);
    const bool is_piece = batch->piece.present();
    if (is_piece && bundles > 0 && batch->outcome_of(batch->bundles.front()) == Outcome::kStored)
        parts_.held.handle_stored();
    if (is_piece)
        parts_.spooler.handle_outcome(std::move(batch), now);
    else if (batch->copy)
        take_copy(std::move(batch), now);
    else
        take_original(std::move(batch), now);
}

void BatchOutcomes::take_original(BatchPtr batch, TimePoint now) {
    std::optional<WatchedBatch> watched;
    const bool all_sent = batch->uniform == Outcome::kSent;
    if (batch->upstream != kNoUpstream && batch->link != kNoLink) {
        const std::size_t index = parts_.queues.index_of(parts_.queues.queue_of(*batch));
        watched = parts_.copies.take(index, batch->sequence, now);
        if (watched && watched->copy_underway() && !all_sent) {
            // Storage's outcomes of the copy show which bundles of it are safe.
            watched->returned = std::move(batch);
            return parts_.copies.wait_for_copy(index, std::move(*watched));
        }
    }
    if (all_sent)
        set_all_sent(std::move(batch), watched, now);
    else if (watched)
        set_each_outcome(std::move(batch), watched->stored, now);
    else
        set_each_outcome(std::move(batch), {}, now);
}

void BatchOutcomes::set_all_sent(BatchPtr batch, const std::optional<WatchedBatch> &watched,
                                 TimePoint now) {
    context_.counters.add(IngressCounter::kCutThrough, batch->bundles.size());
    const Duration residence = now - batch->bundles.front().received;
    // An application takes as long as it likes.
    if (!is_endpoint_link(batch->link))
        residence_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(residence.count(), 0)));
    if ((batch->requests & kReportForwarding) != 0)
        for (const BatchedBundle &bundle : batch->bundles)
            parts_.bundles.report_forwarded(*batch, bundle, now);
    if (watched && watched->copy_sequence != 0) {
        for (std::size_t place = 0; place < batch->bundles.size(); ++place) {
            const BatchedBundle &bundle = batch->bundles[place];
            parts_.copy_maker.note_outcome(bundle, true);
            if (!watched->is_stored(place))
                parts_.bundles.acknowledge(batch->upstream, bundle, TransferDisposition::kSafe,
                                           now);
        }
    } else if (batch->upstream != kNoUpstream) {
        // The bundles of a batch come in the order of their transfers, seldom with gaps.
        const std::uint32_t first = batch->bundles.front().transfer;
        const auto count = static_cast<std::uint32_t>(batch->bundles.size());
        if (batch->bundles.back().transfer - first + 1 == count)
            context_.upstreams.acknowledge(batch->upstream, first, count,
                                           TransferDisposition::kSafe, now);
        else
            for (const BatchedBundle &bundle : batch->bundles)
                parts_.bundles.acknowledge(batch->upstream, bundle, TransferDisposition::kSafe,
                                           now);
    }
    for (const BatchedBundle &bundle : batch->bundles) {
        if (!parts_.repeats.active()) break;
        parts_.repeats.handle_released(bundle, TransferDisposition::kSafe, now);
    }
    context_.release(batch->bundles.size(), batch->bytes);
    context_.batches.recycle(std::move(batch));
}

// Bundles that are not safe yet stay in the batch and go to storage; the others leave it.
void BatchOutcomes::set_each_outcome(BatchPtr batch, std::span<const std::uint8_t> stored,
                                     TimePoint now) {
    const bool from_storage = batch->link == kNoLink;
    bool refused = false;
    std::uint64_t kept_bytes = 0;
    std::size_t kept = 0;
    std::size_t known = 0;
    for (std::size_t place = 0; place < batch->bundles.size(); ++place) {
        const BatchedBundle &bundle = batch->bundles[place];
        const Outcome outcome = batch->outcome_of(bundle);
        if (outcome == Outcome::kReturnedEarly) continue;
        ++known;
        if (from_storage) {
            const bool taken = outcome == Outcome::kStored || outcome == Outcome::kDuplicate;
            context_.flows.answered(bundle.flow, taken);
            if (taken) parts_.held.handle_stored();
        }
        const bool ended =
            !stored.empty() && stored[place] != 0
                ? set_copied_outcome(*batch, bundle, outcome, now)
                : parts_.bundles.set_outcome(*batch, bundle, outcome, batch->upstream, now);
        if (ended) continue;
        refused = refused || from_storage;
        kept_bytes += bundle.size;
        batch->bundles[kept++] = bundle;
    }
    context_.release(known - kept, batch->bytes - kept_bytes);
    if (kept == 0) return context_.batches.recycle(std::move(batch));
    batch->bundles.resize(kept);
    batch->bytes = kept_bytes;
    if (refused) return parts_.held.hold(std::move(batch), now);
    OutputQueue &queue = parts_.queues.queue_of(*batch);
    parts_.queues.hand_to_storage(std::move(batch), kNoUpstream, now);
    // What waits for the same link is younger and must not overtake.
    parts_.queues.spill(queue, now);
}

// A bundle that has not left need not wait for those of its batch that are on the link.
void BatchOutcomes::take_part(BatchPtr part, TimePoint now) {
    OutputQueue &queue = parts_.queues.queue_of(*part);
    for (std::size_t place = 0; place < part->bundles.size(); ++place)
        if (part->bundles[place].outcome != Outcome::kPending)
            queue.take_back(part->whole->bundles[place].size, 1);
    WatchedBatch *const watched =
        part->whole->upstream == kNoUpstream
            ? nullptr
            : parts_.copies.take_part(parts_.queues.index_of(queue), *part, now);
    if (watched != nullptr && watched->copy_underway())
        watched->parts.push_back(std::move(part));
    else
        set_part_outcomes(*part, watched, now);
}

void BatchOutcomes::set_part_outcomes(const Batch &part, const WatchedBatch *watched,
                                      TimePoint now) {
    std::vector<std::uint8_t> left_out(part.bundles.size());
    std::vector<std::uint8_t> stored;
    for (std::size_t place = 0; place < left_out.size(); ++place) {
        left_out[place] = part.bundles[place].outcome == Outcome::kPending ? 1 : 0;
        if (left_out[place] == 0 && watched != nullptr && watched->copied)
            stored.push_back(watched->stored[place]);
    }
    BatchPtr own = parts_.copy_maker.copy_of(*part.whole, left_out);
    own->link = part.link;
    own->next_hop = part.whole->next_hop;
    std::size_t next = 0;
    for (const BatchedBundle &bundle : part.bundles)
        if (bundle.outcome != Outcome::kPending) own->bundles[next++].outcome = bundle.outcome;
    set_each_outcome(std::move(own), stored, now);
}

void BatchOutcomes::take_copy(BatchPtr copy, TimePoint now) {
    UnackedCopies::Answered answer = parts_.copies.answered(*copy);
    WatchedBatch *const watched = answer.complete ? &*answer.complete : answer.watched;
    for (const BatchedBundle &bundle : copy->bundles) {
        const Outcome outcome = copy->outcome_of(bundle);
        const bool stored = outcome == Outcome::kStored || outcome == Outcome::kDuplicate;
        if (!stored) context_.counters.increment(IngressCounter::kCopiesDropped);
        // An original that is not watched any more was sent, and acknowledged then.
        if (!stored || watched == nullptr) continue;
        context_.upstreams.acknowledge(copy->upstream, bundle.transfer, 1,
                                       TransferDisposition::kSafe, now);
        parts_.repeats.handle_copied(bundle, now);
    }
    context_.release(copy->bundles.size(), copy->bytes);
    context_.batches.recycle(std::move(copy));
    if (watched == nullptr) return;
    for (const BatchPtr &part : std::exchange(watched->parts, {}))
        set_part_outcomes(*part, watched, now);
    if (answer.complete) set_each_outcome(std::move(watched->returned), watched->stored, now);
}

// Its sender has its acknowledgement: the copy is dropped, or takes the place of the original.
bool BatchOutcomes::set_copied_outcome(const Batch &batch, const BatchedBundle &bundle,
                                       Outcome outcome, TimePoint now) {
    const bool sent = !is_kept(outcome);
    parts_.copy_maker.note_outcome(bundle, sent);
    if (sent) return parts_.bundles.set_outcome(batch, bundle, outcome, kNoUpstream, now);
    context_.counters.increment(IngressCounter::kCopiesDropped);
    // Storage holds a bundle of this flow now, as if it had been sent to storage.
    context_.flows.sent(bundle.flow);
    context_.flows.answered(bundle.flow, true);
    // From now on storage recognises its repeats.
    parts_.repeats.handle_released(bundle, TransferDisposition::kSafe, now);
    return true;
}

}  // namespace farlink::ingress
