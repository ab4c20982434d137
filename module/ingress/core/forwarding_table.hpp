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
        next_hops_.clear();
        for (const bus::Route &route : update.routes) {
            std::vector<NextHop> &hops = next_hops_[route.destination];
            for (const bus::RouteCandidate &candidate : route.candidates)
                hops.push_back({candidate.next_hop, candidate.link});
        }
        last_ = nullptr;
    }
    /// The next hops, best first; none when no route is known. Valid until the next handle().
    [[nodiscard]] std::span<const NextHop> find(NodeNumber destination) {
        if (last_ == nullptr || last_destination_ != destination) {
            const auto found = next_hops_.find(destination);
            if (found == next_hops_.end()) return {};
            last_destination_ = destination;
            last_ = &found->second;
        }
        return *last_;
    }

private:
    std::unordered_map<NodeNumber, std::vector<NextHop>> next_hops_;
    NodeNumber last_destination_;
    const std::vector<NextHop> *last_ = nullptr;  ///< bundles come in runs to one destination
};

}  // namespace farlink::ingress
