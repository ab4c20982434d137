// SPDX-License-Identifier: Apache-2.0
// Settings that are valid and have no effect: rules for destinations to which nothing is forwarded,
// and choices that the convergence layer of their link does not have.
// A plain function; values only. Any thread.
#pragma once

#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"

namespace farlink::config {

/// A line for each of them, for people.
[[nodiscard]] std::vector<std::string> review_unused_settings(const NodeConfig &config);

}  // namespace farlink::config
