// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/queues/held_batches.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace farlink::ingress {
namespace {

/// The pause for a store that is full or failing; it doubles while storage keeps nothing.
constexpr Duration kLeastStorageRetry = milliseconds(100);
constexpr Duration kLongestStorageRetry = seconds(2);

}  // namespace

void HeldBatches::hold(BatchPtr batch, TimePoint now) {
    for (const BatchedBundle &bundle : batch->bundles) context_.flows.hold(bundle.flow);
    context_.counters.add(IngressCounter::kWithoutRoom, batch->bundles.size());
    pause_storage(now);
    held_.push_back(std::move(batch));
}

void HeldBatches::pause_storage(TimePoint now) {
    OutputQueue &queue = queues_.storage();
    // Batches that were in flight together are refused together: that is one pause.
    if (!queue.blocked())
        retry_ = std::clamp(2 * retry_, kLeastStorageRetry,
                            draining_ ? kLeastStorageRetry : kLongestStorageRetry);
    queue.not_before = now + retry_;
    queue.resumes = true;
    if (!std::exchange(queue.refuses, true)) queue.refused_since = now;
}

void HeldBatches::handle_stored() {
    retry_ = {};
    queues_.storage().refuses = false;
}

void HeldBatches::begin_drain(TimePoint now) {
    draining_ = true;
    queues_.storage().refuses = false;  // only now has storage all its room
    if (queues_.storage().blocked()) queues_.storage().not_before = now;
}

// Everything that was in flight when storage refused has come back before the oldest is offered
// again, and what came later stays behind it: the order of a flow survives a full disk.
bool HeldBatches::due(TimePoint now) const {
    const OutputQueue &queue = queues_.storage();
    return queue.blocked() && queue.not_before <= now && queue.in_flight_bundles == 0;
}

BatchPtr HeldBatches::take() {
    BatchPtr batch = held_.pop_front();
    for (const BatchedBundle &bundle : batch->bundles) context_.flows.let_go(bundle.flow);
    context_.counters.subtract(IngressCounter::kWithoutRoom, batch->bundles.size());
    context_.release(batch->bundles.size(), batch->bytes);
    return batch;
}

void HeldBatches::resume_storage(TimePoint now) {
    OutputQueue &queue = queues_.storage();
    sort_by_arrival(queue.waiting);
    queue.not_before = {};
    queues_.pump(queue, now);
}

// Refusals come back sooner than the failed writes of older bundles. The pieces of a bundle have
// one arrival and keep their order; a batch without bundles, which ends a bundle in pieces, stays
// behind the batch before it.
void HeldBatches::sort_by_arrival(Ring<BatchPtr> &batches) {
    std::vector<std::pair<std::uint64_t, BatchPtr>> sorted;
    std::uint64_t arrival = 0;
    while (!batches.empty()) {
        BatchPtr batch = batches.pop_front();
        if (!batch->bundles.empty()) arrival = batch->bundles.front().arrival;
        sorted.emplace_back(arrival, std::move(batch));
    }
    std::ranges::stable_sort(sorted, {}, [](const auto &each) { return each.first; });
    for (auto &each : sorted) batches.push_back(std::move(each.second));
}

}  // namespace farlink::ingress
