// SPDX-License-Identifier: Apache-2.0
// Where a bundle goes next: the router's table, looked up by node number.
// Owned by IngressCore; one thread.
// The first candidate of a route counts: when its link is not up, the bundle waits in storage.
#pragma once

#include <cstdint>
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
            if (route.candidates.empty()) continue;
            const bus::RouteCandidate &best = route.candidates.front();
            next_hops_[route.destination] = {best.next_hop, best.link};
        }
        last_ = nullptr;
    }
    /// The best next hop, or nullptr when no route is known. Valid until the next handle().
    [[nodiscard]] const NextHop *find(NodeNumber destination) {
        if (last_ != nullptr && last_destination_ == destination) return last_;
        const auto found = next_hops_.find(destination);
        if (found == next_hops_.end()) return nullptr;
        last_destination_ = destination;
        last_ = &found->second;
        return last_;
    }

private:
    std::unordered_map<NodeNumber, NextHop> next_hops_;
    NodeNumber last_destination_;
    const NextHop *last_ = nullptr;  ///< bundles come in runs to one destination
};

}  // namespace farlink::ingress
