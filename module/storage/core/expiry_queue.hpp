// SPDX-License-Identifier: Apache-2.0
// Which bundle expires next: a heap that finds out late that a bundle is gone.
// Owned by Inventory; one thread.
// Entries that are gone stay in the heap until they surface or make up half of it.
#pragma once

#include <algorithm>
#include <vector>

#include "module/storage/core/entry_table.hpp"

namespace farlink::storage {

class ExpiryQueue {
public:
    explicit ExpiryQueue(const EntryTable &entries) : entries_(entries) {}

    void insert(EntryIndex index) {
        const Entry &entry = entries_[index];
        if (entry.expiry == kDtnNever) return;
        heap_.push_back({entry.expiry, index, entry.generation});
        std::ranges::push_heap(heap_, std::greater{});
    }
    /// The entry is about to be released.
    void forget(EntryIndex index) {
        if (entries_[index].expiry == kDtnNever) return;
        if (++gone_ > kTolerated && gone_ > heap_.size() / 2) compact(index);
    }

    /// When the next bundle expires, or kDtnNever; may be early by one that is gone.
    [[nodiscard]] DtnTime next() const { return heap_.empty() ? kDtnNever : heap_.front().expiry; }
    /// Removes and returns one that has expired at `now_ms`; kNoEntry when there is none.
    [[nodiscard]] EntryIndex pop(DtnTime now_ms) {
        while (!heap_.empty() && heap_.front().expiry <= now_ms) {
            const Item item = heap_.front();
            std::ranges::pop_heap(heap_, std::greater{});
            heap_.pop_back();
            if (present(item)) return item.index;
            if (gone_ > 0) --gone_;
        }
        return kNoEntry;
    }

private:
    struct Item {
        DtnTime expiry;
        EntryIndex index;
        std::uint32_t generation;
        friend auto operator<=>(const Item &, const Item &) = default;
    };
    static constexpr std::size_t kTolerated = 1024;

    [[nodiscard]] bool present(const Item &item) const {
        const Entry &entry = entries_[item.index];
        return entry.state != EntryState::kFree && entry.generation == item.generation;
    }
    void compact(EntryIndex leaving) {
        std::erase_if(heap_,
                      [&](const Item &item) { return item.index == leaving || !present(item); });
        std::ranges::make_heap(heap_, std::greater{});
        gone_ = 0;
    }

    const EntryTable &entries_;
    std::vector<Item> heap_;
    std::size_t gone_ = 0;
};

}  // namespace farlink::storage
