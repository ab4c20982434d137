// SPDX-License-Identifier: Apache-2.0
// The `threads` section: its fields, and the checks against the links.
// Tables and plain functions used while a configuration is loaded.
// Any thread.
#pragma once

#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/config/fields/field_table.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::config {

[[nodiscard]] const Table<ThreadsConfig> &threads_table();
/// Its `processors`.
[[nodiscard]] const Table<ThreadsConfig> &processors_table();

void check_threads(const NodeConfig &config, std::vector<ConfigError> &errors);

}  // namespace farlink::config
