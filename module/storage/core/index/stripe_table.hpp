// SPDX-License-Identifier: Apache-2.0
// Where the stripes of the bundles lie that are cut in stripes.
// Owned by Inventory; one thread.
// Such bundles are large, hence few: a bundle on one disk takes no place here.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "module/storage/core/index/entry_table.hpp"

namespace farlink::storage {

/// Octets that a stripe's label has beyond the endpoint's.
[[nodiscard]] constexpr std::size_t stripe_label_bytes(std::size_t count) {
    return 16 + 4 * count;
}

/// One record of a bundle: a stripe of it, or all of it.
struct StoredRecord {
    DiskIndex disk = 0;
    RecordLocation at;        ///< number 0: not written yet
    std::uint64_t bytes = 0;  ///< in the log
};

class StripeTable {
public:
    void add(EntryIndex index, std::vector<StoredRecord> stripes) {
        stripes_[index] = std::move(stripes);
    }
    void remove(EntryIndex index) { stripes_.erase(index); }
    /// In the order of the bundle's octets, each on another disk.
    [[nodiscard]] std::span<StoredRecord> of(EntryIndex index) { return stripes_.at(index); }
    [[nodiscard]] std::span<const StoredRecord> of(EntryIndex index) const {
        return stripes_.at(index);
    }
    [[nodiscard]] std::size_t memory_bytes() const {
        constexpr std::size_t kNode =
            4 * sizeof(std::uintptr_t) + sizeof(std::vector<StoredRecord>);
        std::size_t sum = stripes_.bucket_count() * sizeof(std::uintptr_t);
        for (const auto &[index, stripes] : stripes_)
            sum += kNode + stripes.capacity() * sizeof stripes[0];
        return sum;
    }

private:
    std::unordered_map<EntryIndex, std::vector<StoredRecord>> stripes_;
};

}  // namespace farlink::storage
