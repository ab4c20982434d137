// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/queues/copy_maker.hpp"

#include <utility>

namespace farlink::ingress {

void CopyMaker::make_due_copies(TimePoint now) {
    OutputQueue &storage = queues_.storage();
    while (storage.waiting.empty() && storage.has_room() && !storage.blocked()) {
        const WatchedBatch *due = copies_.poll_due(context_.upstreams, now);
        if (due == nullptr) return;
        BatchPtr copy = copy_of(*due->lent, due->published);
        copy->copy = true;
        copy->next_hop = due->lent->sender;
        context_.counters.add(IngressCounter::kCopies, copy->bundles.size());
        context_.count_in_flight(copy->bundles.size(), copy->bytes);
        queues_.lend(storage, std::move(copy), now);
        copies_.copying(queues_.last_number());
    }
}

// Egress writes the outcomes of the original at any time, so nothing else of it is shared.
BatchPtr CopyMaker::copy_of(const Batch &original, std::span<const std::uint8_t> left_out) {
    BatchPtr copy = context_.batches.acquire();
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

void CopyMaker::send_outcomes() {
    if (outcomes_.empty()) return;
    context_.send(
        bus::AgentId::kStorage,
        bus::CopyOutcomes{std::move(outcomes_), static_cast<std::uint8_t>(context_.instance)});
    outcomes_.clear();
}

// While storage is busy, its next answer is when to look again.
TimePoint CopyMaker::next_timeout() const {
    const OutputQueue &storage = queues_.storage();
    return storage.has_room() && !storage.blocked() ? copies_.next_timeout() : kNever;
}

}  // namespace farlink::ingress
