// SPDX-License-Identifier: Apache-2.0
// `routing`: the routes that are configured in addition to the contact plan.
// Part of NodeConfig; read-only once loaded, any thread.
// Precedence: policy, routes of the plan, static route, default gateway.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/types.hpp"
#include "common/plan/node_endpoints.hpp"

namespace farlink::config {

/// `staticRoutes[]`
struct StaticRoute {
    NodeNumber destination{};  ///< `destinationNodeId`; 0: the endpoints say it
    NodeNumber next_hop{};     ///< `nextHopNodeId`
    std::string endpoints{};   ///< `destination`: an EID or a pattern of them, of either scheme
};

/// `paths[]` of a policy
struct PolicyPath {
    NodeNumber next_hop{};     ///< `nextHopNodeId`
    std::uint32_t weight = 1;  ///< `weight`: its share where bundles are spread
};

/// `policies[]`: bundles that fit take the paths. What is not given fits every bundle.
struct RoutingPolicy {
    NodeNumber source{};                        ///< `sourceNodeId`; 0: any
    std::string destination{};                  ///< `destination`: an EID or a pattern of them
    std::optional<std::uint64_t> service{};     ///< `service`: of the destination
    std::optional<Priority> priority{};         ///< `priority`
    std::optional<Priority> assign_priority{};  ///< `assignPriority`: to BPv7 bundles
    bool critical = false;                      ///< `critical`: BPv7 bundles go by every way
    std::vector<PolicyPath> paths{};            ///< `paths`: in the order of preference
    bool spread = false;                        ///< `spread`: over all that are up, by weight
};

struct RoutingConfig {
    NodeNumber default_gateway{};           ///< `defaultGateway`; 0: none
    bool return_to_sender = false;          ///< `returnToSender`
    std::uint8_t hop_limit = 64;            ///< `hopLimit`: of BPv7 bundles made here; 0: none
    std::uint8_t add_hop_limit = 64;        ///< `addHopLimit`: of those in transit; 0: none
    std::vector<StaticRoute> statics{};     ///< `staticRoutes`
    std::vector<RoutingPolicy> policies{};  ///< `policies`; the first that fits counts
    /// `reassembleInTransit`: destinations, endpoints or patterns, whose fragments are joined here
    std::vector<std::string> reassemble{};
    std::vector<NodeEndpoints> nodes{};  ///< `nodeEndpoints`, and each `peerNodeId` of the links
};

}  // namespace farlink::config
