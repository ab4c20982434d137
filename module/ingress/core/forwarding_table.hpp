// SPDX-License-Identifier: Apache-2.0
// Where a bundle goes next: the router's table, looked up by node number.
// Owned by IngressCore; one thread.
// Candidates stay in the order of the router, which is the order of their merit.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::ingress {

struct NextHop {
    NodeNumber neighbour;
    LinkId link = kNoLink;
};

class ForwardingTable {
public:
    void handle(const bus::RouteUpdate &update) {
        ways_.clear();
        for (const bus::Route &route : update.routes) {
            auto &[hops, max_bundle_bytes] = ways_[route.destination];
            max_bundle_bytes = route.max_bundle_bytes;
            for (const bus::RouteCandidate &candidate : route.candidates)
                hops.push_back({candidate.next_hop, candidate.link});
        }
        last_ = nullptr;
    }
    /// The next hops, best first; none when no route is known. Valid until the next handle().
    [[nodiscard]] std::span<const NextHop> find(NodeNumber destination) {
        const Ways *ways = look_up(destination);
        return ways == nullptr ? std::span<const NextHop>{} : ways->hops;
    }
    /// No contact of the plan carries a larger bundle there; unlimited when no route is known.
    [[nodiscard]] std::uint64_t max_bundle_bytes(NodeNumber destination) {
        const Ways *ways = look_up(destination);
        return ways == nullptr ? ~std::uint64_t{0} : ways->max_bundle_bytes;
    }

private:
    struct Ways {
        std::vector<NextHop> hops;
        std::uint64_t max_bundle_bytes = ~std::uint64_t{0};
    };
    [[nodiscard]] const Ways *look_up(NodeNumber destination) {
        if (last_ != nullptr && last_destination_ == destination) return last_;
        const auto found = ways_.find(destination);
        if (found == ways_.end()) return nullptr;
        last_destination_ = destination;
        last_ = &found->second;
        return last_;
    }

    std::unordered_map<NodeNumber, Ways> ways_;
    NodeNumber last_destination_;
    const Ways *last_ = nullptr;  ///< bundles come in runs to one destination
};

}  // namespace farlink::ingress
