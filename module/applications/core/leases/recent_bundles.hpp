// SPDX-License-Identifier: Apache-2.0
// The bundles to which something has happened last, by a hash of what identifies them.
// Owned by Deliveries; one thread.
// The hash has a key: senders choose time stamps, and must not be able to make theirs equal those
// of others.
#pragma once

#include <cstdint>

#include "common/buffer/ring.hpp"
#include "module/applications/core/leases/key_set.hpp"

namespace farlink::applications {

class RecentBundles {
public:
    static constexpr std::size_t kMost = 65'536;

    [[nodiscard]] bool contains(std::uint64_t bundle) const { return remembered_.contains(bundle); }
    void add(std::uint64_t bundle) {
        if (!remembered_.insert(bundle)) return;
        order_.push_back(bundle);
        if (order_.size() > kMost) remembered_.erase(order_.pop_front());
    }

private:
    KeySet remembered_;
    Ring<std::uint64_t> order_;  ///< oldest first
};

}  // namespace farlink::applications
