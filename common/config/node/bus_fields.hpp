// SPDX-License-Identifier: Apache-2.0
// The `bus` section: its fields, what its values must be together, and what all processes of a node
// must agree on.
// Tables and plain functions used while a configuration is loaded.
// Any thread.
#pragma once

#include <string_view>
#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/config/fields/field_table.hpp"
#include "common/config/node/bus_config.hpp"

namespace farlink::config {

[[nodiscard]] const Table<BusConfig> &bus_table();

void check_bus(const BusConfig &bus, std::vector<ConfigError> &errors);

/// Where both keys are said to be none, there are none.
void drop_refused_keys(BusConfig &bus);

/// Of a file that is in order: hashes of its keys, without those that may differ between the
/// processes of a node.
[[nodiscard]] std::vector<ConfigPart> parts_to_agree_on(std::string_view json);

}  // namespace farlink::config
