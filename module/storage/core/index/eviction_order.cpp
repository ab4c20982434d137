// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/eviction_order.hpp"

#include <algorithm>
#include <functional>

namespace farlink::storage {
namespace {

/// Places that do not stand any more are looked for when there are so many, and as many again.
constexpr std::size_t kFewPlaces = 1024;

}  // namespace

void EvictionOrder::list(FlowIndex index, std::uint64_t arrival) {
    if (size_ >= kFewPlaces + 2 * kPriorityCount * destinations_.size()) drop_fallen();
    Flow &flow = destinations_.flow(index);
    Heap &heap = heaps_[static_cast<std::size_t>(flow.priority)][destinations_.quotas_of(index)];
    flow.eviction_key = arrival;
    heap.push_back({arrival, index});
    std::ranges::push_heap(heap, std::greater{});
    ++size_;
}

EntryIndex EvictionOrder::oldest(const EntryTable &entries, Priority priority, QuotaSet blocking) {
    EntryIndex found = kNoEntry;
    for (auto &[quotas, heap] : heaps_[static_cast<std::size_t>(priority)]) {
        if (blocking != 0 && (quotas & blocking) == 0) continue;
        const EntryIndex first = top(entries, quotas, heap);
        if (first == kNoEntry) continue;
        if (found == kNoEntry || entries[first].arrival < entries[found].arrival) found = first;
    }
    return found;
}

EntryIndex EvictionOrder::top(const EntryTable &entries, QuotaSet quotas, Heap &heap) {
    while (!heap.empty()) {
        const Place place = heap.front();
        EntryIndex first = kNoEntry;
        if (stands(place, quotas)) {
            Flow &flow = destinations_.flow(place.flow);
            first = flow.queue.first_spare(entries);
            if (first != kNoEntry && entries[first].arrival == place.arrival) return first;
            flow.eviction_key = first == kNoEntry ? Flow::kNotListed : entries[first].arrival;
        }
        std::ranges::pop_heap(heap, std::greater{});
        if (first == kNoEntry) {
            heap.pop_back();
            --size_;
        } else {
            heap.back().arrival = entries[first].arrival;
            std::ranges::push_heap(heap, std::greater{});
        }
    }
    return kNoEntry;
}

// The place of a flow that has been listed anew, or of a forgotten one whose number another got.
bool EvictionOrder::stands(const Place &place, QuotaSet quotas) {
    return destinations_.flow(place.flow).eviction_key == place.arrival &&
           destinations_.quotas_of(place.flow) == quotas;
}

void EvictionOrder::drop_fallen() {
    size_ = 0;
    for (auto &of_priority : heaps_) {
        for (auto &[quotas, heap] : of_priority) {
            std::erase_if(heap, [&](const Place &place) { return !stands(place, quotas); });
            heap.shrink_to_fit();
            std::ranges::make_heap(heap, std::greater{});
            size_ += heap.size();
        }
        std::erase_if(of_priority, [](const auto &each) { return each.second.empty(); });
    }
}

}  // namespace farlink::storage
