// SPDX-License-Identifier: Apache-2.0
// Names of the dtn scheme for nodes that a contact plan numbers.
// Part of NodeConfig.
// A plain value; any thread.
#pragma once

#include <string>
#include <vector>

#include "common/base/types.hpp"

namespace farlink::config {

/// `nodeEndpoints[]`: endpoints of the dtn scheme that are reached as the node is.
struct NodeEndpoints {
    NodeNumber node{};                     ///< `nodeId`
    std::vector<std::string> endpoints{};  ///< `endpoints`: patterns: `dtn://mars/**`
};

}  // namespace farlink::config
