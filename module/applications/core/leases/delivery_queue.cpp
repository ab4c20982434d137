// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/leases/delivery_queue.hpp"

#include <utility>

namespace farlink::applications {

void DeliveryQueue::push(BatchPtr batch) {
    FARLINK_INVARIANT(!batch->bundles.empty());
    bundles_ += batch->bundles.size();
    bytes_ += batch->bytes;
    batch->done = 0;
    batch->uniform = Outcome::kPending;
    for (BatchedBundle &bundle : batch->bundles) bundle.outcome = Outcome::kPending;
    if (spare_.empty()) spare_.emplace_back();
    const Place place = spare_.begin();
    lent_.splice(lent_.end(), spare_, place);
    place->batch = std::move(batch);
    place->next = 0;
    fresh_.push_back(place);
}

std::optional<DeliveryQueue::Lease> DeliveryQueue::take() {
    if (!returned_.empty()) {
        ++leased_;
        return returned_.pop_front();
    }
    if (fresh_.empty()) return std::nullopt;
    const Place from = fresh_.front();
    const Lease lease{from, from->next++};
    if (from->next == from->batch->bundles.size()) (void)fresh_.pop_front();
    ++leased_;
    return lease;
}

void DeliveryQueue::give_back(Lease lease) {
    FARLINK_INVARIANT(leased_ > 0);
    --leased_;
    returned_.push_back(lease);
}

void DeliveryQueue::decide(const Lease &lease, Outcome outcome) {
    FARLINK_INVARIANT(leased_ > 0);
    --leased_;
    set_outcome(lease.from, lease.place, outcome);
}

void DeliveryQueue::return_waiting() {
    while (!returned_.empty()) {
        const Lease lease = returned_.pop_front();
        set_outcome(lease.from, lease.place, Outcome::kNotSent);
    }
    while (!fresh_.empty()) {
        const Place from = fresh_.pop_front();
        const std::size_t count = from->batch->bundles.size();
        for (std::size_t place = from->next; place < count; ++place)
            set_outcome(from, place, Outcome::kNotSent);
    }
}

void DeliveryQueue::set_outcome(Place from, std::size_t place, Outcome outcome) {
    Batch &batch = *from->batch;
    BatchedBundle &bundle = batch.bundles[place];
    FARLINK_INVARIANT(bundle.outcome == Outcome::kPending);
    bundle.outcome = outcome;
    --bundles_;
    bytes_ -= bundle.size;
    if (++batch.done < batch.bundles.size()) return;
    bool alike = true;
    for (const BatchedBundle &each : batch.bundles) alike = alike && each.outcome == outcome;
    if (alike) batch.uniform = outcome;
    finished_.push_back(std::move(from->batch));
    spare_.splice(spare_.begin(), lent_, from);
}

BatchPtr DeliveryQueue::poll_finished() {
    return finished_.empty() ? nullptr : finished_.pop_front();
}

}  // namespace farlink::applications
