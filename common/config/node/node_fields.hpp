// SPDX-License-Identifier: Apache-2.0
// The field table of a node's configuration; the tables of its sections hang below it.
// Constant, made on first use; any thread.
// A new setting is a row in a *_fields.cpp and a member in node_config.hpp, nothing else.
#pragma once

#include "common/config/fields/field_table.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::config {

[[nodiscard]] const Table<NodeConfig> &node_table();

}  // namespace farlink::config
