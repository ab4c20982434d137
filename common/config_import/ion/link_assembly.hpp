// SPDX-License-Identifier: Apache-2.0
// Inducts, outducts and egress plans of ION as links of a configuration.
// A plain function on values; any thread.
// What has no counterpart is refused at its command.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "common/config_import/ion/command_verdicts.hpp"
#include "common/config_import/ion/node_draft.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::config {

struct ImportedLinks {
    using Json = nlohmann::ordered_json;

    Json inducts = Json::array();        ///< `inductsConfig`
    Json outducts = Json::array();       ///< `outductsConfig`
    Json static_routes = Json::array();  ///< those of egress plans
    Json node_endpoints = Json::array();
    std::map<std::uint64_t, std::size_t> neighbours;      ///< with a link: which outduct
    std::map<std::string, std::uint64_t> dtn_neighbours;  ///< their numbers by name
};

/// Links of `draft.node`. Neighbours that the plan has no contact with get one that does not end.
[[nodiscard]] ImportedLinks assemble_links(NodeDraft &draft, ContactPlan &plan,
                                           CommandVerdicts &verdicts);

}  // namespace farlink::config
