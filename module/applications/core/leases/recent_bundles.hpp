// SPDX-License-Identifier: Apache-2.0
// The identities of the last bundles to which something has happened.
// Owned by Deliveries.
// One thread.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "common/buffer/ring.hpp"

namespace farlink::applications {

class RecentBundles {
public:
    static constexpr std::size_t kMost = 65'536;

    [[nodiscard]] bool contains(std::uint64_t identity) const {
        return remembered_.contains(identity);
    }
    void add(std::uint64_t identity) {
        if (!remembered_.insert(identity).second) return;
        order_.push_back(identity);
        if (order_.size() > kMost) remembered_.erase(order_.pop_front());
    }

private:
    std::unordered_set<std::uint64_t> remembered_;
    Ring<std::uint64_t> order_;  ///< oldest first
};

}  // namespace farlink::applications
