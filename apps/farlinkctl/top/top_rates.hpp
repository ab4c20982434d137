// SPDX-License-Identifier: Apache-2.0
// Rates of a node and its links, from two state documents.
// Plain functions on the state of the API; any thread.
// docs/formats/live-updates.md lists what the state has.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace farlink::ctl {

/// Per second.
struct LinkRates {
    double in_bundles = 0;
    double in_bits = 0;
    double out_bundles = 0;
    double out_bits = 0;
};

struct NodeRates {
    LinkRates node;                          ///< received, and forwarded
    std::map<std::string, LinkRates> links;  ///< by number; those without counters are left out
};

/// Nothing when the node has restarted between the two documents.
[[nodiscard]] std::optional<NodeRates> rates_between(const nlohmann::ordered_json &before,
                                                     const nlohmann::ordered_json &after);

}  // namespace farlink::ctl
