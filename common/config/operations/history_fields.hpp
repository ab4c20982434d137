// SPDX-License-Identifier: Apache-2.0
// The `history` section: its fields, and its checks.
// Tables and plain functions used while a configuration is loaded.
// Any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/config/fields/field_table.hpp"
#include "common/config/operations/history_config.hpp"

namespace farlink::config {

[[nodiscard]] const Table<HistoryConfig> &history_table();

/// The folders of the history must not be folders of the store, whose files are numbered.
void check_history(const HistoryConfig &history, std::span<const std::string> store_folders,
                   std::vector<ConfigError> &errors);

}  // namespace farlink::config
