// SPDX-License-Identifier: Apache-2.0
// The field table of `routing`, and the checks of its fields against each other.
// Constant, made on first use, and a plain function; any thread.
// The table is part of that of the node (node_fields.cpp).
#pragma once

#include "common/config/fields/config_error.hpp"
#include "common/config/fields/field_table.hpp"
#include "common/config/node/routing_config.hpp"

namespace farlink::config {

[[nodiscard]] const Table<RoutingConfig> &routing_table();

/// An invalid field is 0 or empty and is skipped.
void check_routing(const RoutingConfig &routing, NodeNumber node, std::vector<ConfigError> &errors);

}  // namespace farlink::config
