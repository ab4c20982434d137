// SPDX-License-Identifier: Apache-2.0
// How fast a node's links and the node itself carry bundles: two states of it, some time apart.
// Plain functions on the state of the API; any thread.
// docs/formats/live-updates.md lists what the state has.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace farlink::ctl {

/// In a second.
struct LinkRates {
    double in_bundles = 0;
    double in_bits = 0;
    double out_bundles = 0;
    double out_bits = 0;
};

struct NodeRates {
    LinkRates node;                          ///< received, and forwarded
    std::map<std::string, LinkRates> links;  ///< by number; without those that have no counters yet
};

/// Nothing when the second is no later one of the same node: it has been started anew.
[[nodiscard]] std::optional<NodeRates> rates_between(const nlohmann::ordered_json &before,
                                                     const nlohmann::ordered_json &after);

}  // namespace farlink::ctl
