// SPDX-License-Identifier: Apache-2.0
// Copies to storage of bundles that are on their way to a next hop: so that their sender gets its
// acknowledgement although the next hop's is not there yet.
#include "module/ingress/core/ingress_core.hpp"

namespace farlink::ingress {

void IngressCore::make_due_copies(TimePoint now) {
    OutputQueue &storage = queues_[kStorageQueue];
    while (storage.waiting.empty() && storage.has_room() && !storage.blocked()) {
        const WatchedBatch *due = copies_.poll_due(upstreams_, now);
        if (due == nullptr) return;
        BatchPtr copy = copy_of(*due->lent, due->published);
        copy->copy = true;
        copy->next_hop = due->lent->sender;
        counters_.add(IngressCounter::kCopies, copy->bundles.size());
        counters_.add(IngressCounter::kInFlight, copy->bundles.size());
        counters_.add(IngressCounter::kInFlightBytes, copy->bytes);
        lend(storage, std::move(copy), now);
        copies_.copying(next_batch_ - 1);
    }
}

// Egress writes the outcomes of the original at any time, so nothing else of it is shared.
BatchPtr IngressCore::copy_of(const Batch &original, std::span<const std::uint8_t> left_out) {
    BatchPtr copy = batches_.acquire();
    copy->upstream = original.upstream;
    copy->sender = original.sender;
    copy->requests = original.requests;
    copy->slices = original.slices;
    copy->slabs = original.slabs;
    for (std::size_t place = 0; place < original.bundles.size(); ++place) {
        if (!left_out.empty() && left_out[place] != 0) continue;
        const BatchedBundle &from = original.bundles[place];
        BatchedBundle bundle;
        bundle.size = from.size;
        bundle.arrival = from.arrival;
        bundle.flow = from.flow;
        bundle.expiry = from.expiry;
        bundle.received = from.received;
        bundle.first_slice = from.first_slice;
        bundle.slice_count = from.slice_count;
        bundle.primary_end = from.primary_end;
        bundle.head_end = from.head_end;
        bundle.version = from.version;
        bundle.priority = from.priority;
        bundle.requests = from.requests;
        bundle.transfer = from.transfer;
        copy->bytes += bundle.size;
        copy->bundles.push_back(bundle);
    }
    return copy;
}

// A bundle that has not left need not wait for those of its batch that are under way.
void IngressCore::take_part(BatchPtr part, TimePoint now) {
    OutputQueue &queue = *queue_of(part->link);
    for (std::size_t place = 0; place < part->bundles.size(); ++place)
        if (part->bundles[place].outcome != Outcome::kPending)
            queue.take_back(part->whole->bundles[place].size, 1);
    const auto index = static_cast<std::size_t>(&queue - queues_.data());
    WatchedBatch *const watched =
        part->whole->upstream == kNoUpstream ? nullptr : copies_.take_part(index, *part, now);
    if (watched != nullptr && watched->copy_underway())
        watched->parts.push_back(std::move(part));
    else
        set_part_outcomes(*part, watched, now);
}

void IngressCore::set_part_outcomes(const Batch &part, const WatchedBatch *watched, TimePoint now) {
    std::vector<std::uint8_t> left_out(part.bundles.size());
    std::vector<std::uint8_t> stored;
    for (std::size_t place = 0; place < left_out.size(); ++place) {
        left_out[place] = part.bundles[place].outcome == Outcome::kPending ? 1 : 0;
        if (left_out[place] == 0 && watched != nullptr && watched->copied)
            stored.push_back(watched->stored[place]);
    }
    BatchPtr own = copy_of(*part.whole, left_out);
    own->link = part.link;
    own->next_hop = part.whole->next_hop;
    std::size_t next = 0;
    for (const BatchedBundle &bundle : part.bundles)
        if (bundle.outcome != Outcome::kPending) own->bundles[next++].outcome = bundle.outcome;
    set_each_outcome(std::move(own), stored, now);
}

void IngressCore::set_copy_outcome(BatchPtr copy, TimePoint now) {
    UnackedCopies::Answered answer = copies_.answered(*copy);
    WatchedBatch *const watched = answer.complete ? &*answer.complete : answer.watched;
    for (std::size_t place = 0; place < copy->bundles.size(); ++place) {
        const BatchedBundle &bundle = copy->bundles[place];
        const Outcome outcome = copy->outcome_of(bundle);
        const bool stored = outcome == Outcome::kStored || outcome == Outcome::kDuplicate;
        if (!stored) counters_.increment(IngressCounter::kCopiesDropped);
        // Without the original's record it has been sent, and its sender has heard so.
        if (!stored || watched == nullptr) continue;
        upstreams_.acknowledge(copy->upstream, bundle.transfer, 1, TransferDisposition::kSafe, now);
        if (!disconnected_.empty())
            acknowledge_repeats(disconnected_.secure(bundle.arrival), TransferDisposition::kSafe,
                                now);
    }
    release(copy->bundles.size(), copy->bytes);
    batches_.recycle(std::move(copy));
    if (watched == nullptr) return;
    for (const BatchPtr &part : std::exchange(watched->parts, {}))
        set_part_outcomes(*part, watched, now);
    if (answer.complete) set_each_outcome(std::move(watched->returned), watched->stored, now);
}

// Its sender has its acknowledgement; now the copy goes, or takes the bundle's place.
bool IngressCore::set_copied_outcome(const Batch &batch, const BatchedBundle &bundle,
                                     Outcome outcome, TimePoint now) {
    const bool sent = !is_kept(outcome);
    fates_.push_back({bundle.arrival, bundle.flow, sent});
    if (!sent) {
        counters_.increment(IngressCounter::kCopiesDropped);
        // Storage holds a bundle of this flow now, as if it had been given it.
        flows_.sent(bundle.flow);
        flows_.answered(bundle.flow, true);
        let_go_of_orphan(bundle, TransferDisposition::kSafe, now);  // storage knows it
        return true;
    }
    return set_bundle_outcome(batch, bundle, outcome, kNoUpstream, now);
}

void IngressCore::send_fates() {
    if (fates_.empty()) return;
    messages_.push_back(
        {bus::AgentId::kStorage, false,
         bus::CopyOutcomes{std::move(fates_), static_cast<std::uint8_t>(instance_)}});
    fates_.clear();
}

}  // namespace farlink::ingress
