// SPDX-License-Identifier: Apache-2.0
// The checker's warnings about a node's LTP links, and the outages that the links survive.
// A plain function; values only.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "common/plan/contact_plan.hpp"

namespace farlink::config {

/// A line for each LTP outduct with the outage that it survives, and one for each setting that
/// cannot be meant so. The rates and light times of the plan's contacts take the place of the
/// configured ones; `plan` may be null.
[[nodiscard]] std::vector<std::string> review_ltp(const NodeConfig &config,
                                                  const ContactPlan *plan);

}  // namespace farlink::config
