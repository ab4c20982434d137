// SPDX-License-Identifier: Apache-2.0
// Next hops that the configuration and the contact plan name and that no link leads to.
// A plain function; values only.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::config {

/// A line for each gateway, static route, path of a policy and contact of this node whose next
/// hop has no link: no outduct, and no induct whose sessions may be that node's. Each node is named
/// once for the plan. `plan` may be null.
[[nodiscard]] std::vector<std::string> review_next_hops(const NodeConfig &config,
                                                        const ContactPlan *plan);

}  // namespace farlink::config
