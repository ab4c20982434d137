// SPDX-License-Identifier: Apache-2.0
// A set of keys of bundles: see BundleKeys.
// Owned by Deliveries; one thread.
// Open addressing: keys are hashes already, and those of bundles that follow one another lie
// together.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace farlink::applications {

class KeySet {
public:
    [[nodiscard]] bool contains(std::uint64_t key) const { return slots_[place_of(key)] == key; }
    /// False: it is there already. `key` is not 0.
    bool insert(std::uint64_t key) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        std::uint64_t &slot = slots_[place_of(key)];
        if (slot == key) return false;
        slot = key;
        ++used_;
        return true;
    }
    void erase(std::uint64_t key) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t free = place_of(key);
        if (slots_[free] != key) return;
        // What lies behind moves up, so that no search ends too early.
        for (std::size_t at = (free + 1) & mask; slots_[at] != 0; at = (at + 1) & mask) {
            const std::size_t wanted = slots_[at] & mask;
            if (((at - wanted) & mask) < ((at - free) & mask)) continue;
            slots_[free] = slots_[at];
            free = at;
        }
        slots_[free] = 0;
        --used_;
    }

private:
    static constexpr std::size_t kFirstSlots = 64;

    /// Its slot, or the free one where it would be.
    [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t place = key & mask;
        while (slots_[place] != 0 && slots_[place] != key) place = (place + 1) & mask;
        return place;
    }
    void grow() {
        const auto old = std::exchange(slots_, std::vector<std::uint64_t>(2 * slots_.size()));
        for (const std::uint64_t key : old)
            if (key != 0) slots_[place_of(key)] = key;
    }

    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(kFirstSlots);  ///< 0: free
    std::size_t used_ = 0;  ///< at most half of them
};

}  // namespace farlink::applications
