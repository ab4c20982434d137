// SPDX-License-Identifier: Apache-2.0
// Endpoints of the dtn scheme for the nodes of a contact plan.
// Part of NodeConfig.
// A plain value; any thread.
#pragma once

#include <string>
#include <vector>

#include "common/base/types.hpp"

namespace farlink::config {

/// `nodeEndpoints[]`: endpoints of the dtn scheme that belong to a node.
struct NodeEndpoints {
    NodeNumber node{};                     ///< `nodeId`
    std::vector<std::string> endpoints{};  ///< `endpoints`: patterns: `dtn://mars/**`
};

}  // namespace farlink::config
