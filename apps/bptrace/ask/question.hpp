// SPDX-License-Identifier: Apache-2.0
// What the nodes have of a bundle, beside each other.
// Values and plain functions; any thread.
// The reply of a node is that of `farlinkctl bundle find`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace farlink::bptrace {

/// A node's reply, or why there is none.
struct NodeAnswer {
    std::string node;  ///< its socket or URL
    nlohmann::ordered_json reply;
    std::string error;  ///< empty: there is a reply
};

/// "delivered", "held", otherwise what the newest record states, "not found" or "unknown".
[[nodiscard]] std::string fate_of(const std::vector<NodeAnswer> &answers);
[[nodiscard]] nlohmann::ordered_json answers_json(const std::string &bundle,
                                                  const std::vector<NodeAnswer> &answers);

}  // namespace farlink::bptrace
