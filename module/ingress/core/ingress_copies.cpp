// SPDX-License-Identifier: Apache-2.0
// Copies to storage of bundles that are on their way to a next hop: so that their sender gets its
// acknowledgement although the next hop's is not there yet.
#include "module/ingress/core/ingress_core.hpp"

namespace farlink::ingress {

void IngressCore::make_due_copies(TimePoint now) {
    Lane &storage = lanes_[kStorageLane];
    while (storage.waiting.empty() && storage.has_room() && !storage.blocked()) {
        const Batch *original = copies_.poll_due(upstreams_, now);
        if (original == nullptr) return;
        BatchPtr copy = copy_of(*original);
        counters_.add(IngressCounter::kCopies, copy->bundles.size());
        counters_.add(IngressCounter::kInFlight, copy->bundles.size());
        counters_.add(IngressCounter::kInFlightBytes, copy->bytes);
        lend(storage, std::move(copy), now);
        copies_.copying(next_batch_ - 1);
    }
}

// Egress writes the outcomes of the original at any time, so nothing else of it is shared.
BatchPtr IngressCore::copy_of(const Batch &original) {
    BatchPtr copy = batches_.acquire();
    copy->copy = true;
    copy->upstream = original.upstream;
    copy->next_hop = copy->sender = original.sender;
    copy->bytes = original.bytes;
    copy->requests = original.requests;
    copy->slices = original.slices;
    copy->slabs = original.slabs;
    for (const BatchedBundle &from : original.bundles) {
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
        copy->bundles.push_back(bundle);
    }
    return copy;
}

void IngressCore::settle_copy(BatchPtr copy, TimePoint now) {
    SafetyCopies::Answered answer = copies_.answered(*copy);
    const WatchedBatch *watched = answer.complete ? &*answer.complete : answer.watched;
    for (std::size_t place = 0; place < copy->bundles.size(); ++place) {
        const BatchedBundle &bundle = copy->bundles[place];
        const Outcome outcome = copy->outcome_of(bundle);
        const bool stored = outcome == Outcome::kStored || outcome == Outcome::kDuplicate;
        if (!stored) counters_.increment(IngressCounter::kCopiesDropped);
        // Without the original's record it has been sent, and its sender has heard so.
        if (!stored || watched == nullptr) continue;
        upstreams_.settle(copy->upstream, bundle.transfer, 1, Settlement::kSafe, now);
        if (!orphans_.empty())
            settle_repeats(orphans_.secure(bundle.arrival), Settlement::kSafe, now);
    }
    release(copy->bundles.size(), copy->bytes);
    batches_.recycle(std::move(copy));
    if (answer.complete) {
        BatchPtr original = std::move(answer.complete->returned);
        settle_each(std::move(original), answer.complete, now);
    }
}

// Its sender has its acknowledgement; now the copy goes, or takes the bundle's place.
bool IngressCore::settle_copied(const Batch &batch, const BatchedBundle &bundle, Outcome outcome,
                                TimePoint now) {
    const bool sent = outcome != Outcome::kNotSent && outcome != Outcome::kTooLate;
    fates_.push_back({bundle.arrival, bundle.flow, sent});
    if (!sent) {
        counters_.increment(IngressCounter::kCopiesDropped);
        // Storage holds a bundle of this flow now, as if it had been given it.
        flows_.sent(bundle.flow);
        flows_.answered(bundle.flow, true);
        let_go_of_orphan(bundle, Settlement::kSafe, now);  // storage knows it
        return true;
    }
    return settle_one(batch, bundle, outcome, kNoUpstream, now);
}

void IngressCore::send_fates() {
    if (fates_.empty()) return;
    messages_.push_back({bus::AgentId::kStorage, false, bus::CopyFates{std::move(fates_)}});
    fates_.clear();
}

}  // namespace farlink::ingress
