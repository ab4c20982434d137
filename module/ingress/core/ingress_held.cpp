// SPDX-License-Identifier: Apache-2.0
// Bundles that storage has refused: they stay in memory, and are offered again after a pause.
#include <algorithm>

#include "module/ingress/core/ingress_core.hpp"
#include "module/ingress/core/slabs_under.hpp"

namespace farlink::ingress {
namespace {

/// How long a store that is full or failing is left alone; doubling while it takes nothing.
constexpr Duration kLeastStorageRetry = milliseconds(100);
constexpr Duration kLongestStorageRetry = seconds(2);

// Refusals come back sooner than the failed writes of older bundles.
void sort_by_arrival(Ring<BatchPtr> &batches) {
    std::vector<BatchPtr> sorted;
    while (!batches.empty()) sorted.push_back(batches.pop_front());
    std::ranges::sort(sorted, {},
                      [](const BatchPtr &batch) { return batch->bundles.front().arrival; });
    for (BatchPtr &batch : sorted) batches.push_back(std::move(batch));
}

}  // namespace

// Storage could not keep these bundles. They stay in memory, and whoever adds to them is paused by
// the storage lane; after a while their way is looked up anew. Nothing is dropped for want of
// space.
void IngressCore::hold(BatchPtr batch, TimePoint now) {
    for (const BatchedBundle &bundle : batch->bundles) flows_.hold(bundle.flow);
    counters_.add(IngressCounter::kWithoutRoom, batch->bundles.size());
    leave_storage_alone(now);
    held_.push_back(std::move(batch));
}

void IngressCore::leave_storage_alone(TimePoint now) {
    OutputQueue &queue = queues_[kStorageQueue];
    // Batches that were on their way together are refused together.
    if (!queue.blocked())
        storage_retry_ = std::clamp(2 * storage_retry_, kLeastStorageRetry,
                                    stopping_ ? kLeastStorageRetry : kLongestStorageRetry);
    queue.not_before = now + storage_retry_;
    queue.resumes = true;
}

// Everything that was on its way when storage refused has come back before the oldest is offered
// again, and what came later stays behind it: the order of a flow survives a full disk.
void IngressCore::resume_storage(TimePoint now) {
    OutputQueue &queue = queues_[kStorageQueue];
    if (!queue.blocked() || queue.not_before > now || queue.in_flight_bundles > 0) return;
    // Still blocked, so that what goes to storage again waits for its place.
    offer_held_again(now);
    sort_by_arrival(queue.waiting);
    queue.not_before = {};
    pump(queue, now);
}

void IngressCore::offer_held_again(TimePoint now) {
    sort_by_arrival(held_);
    std::vector<SlabRef> slabs;
    for (std::size_t left = held_.size(); left > 0; --left) {
        BatchPtr batch = held_.pop_front();
        for (const BatchedBundle &bundle : batch->bundles) flows_.let_go(bundle.flow);
        counters_.subtract(IngressCounter::kWithoutRoom, batch->bundles.size());
        release(batch->bundles.size(), batch->bytes);
        for (const BatchedBundle &bundle : batch->bundles) {
            const auto slices = batch->slices_of(bundle);
            if (bundle.expiry <= clock_.expiry_time(now)) {
                (void)set_bundle_outcome(*batch, bundle, Outcome::kExpired, batch->upstream, now);
                continue;
            }
            const auto view = bp::parse(slices);
            FARLINK_INVARIANT(view.has_value());
            slabs_under(batch->slabs, slices, slabs);
            dispatch(*view,
                     {slices, slabs, bundle.size, kNoUpstream, batch->upstream, bundle.transfer,
                      &bundle, batch->sender},
                     now);
        }
        slabs.clear();
        batches_.recycle(std::move(batch));
    }
    close_open_batches(kNoUpstream, now);
}

}  // namespace farlink::ingress
