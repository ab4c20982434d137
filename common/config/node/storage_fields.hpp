// SPDX-License-Identifier: Apache-2.0
// The `storageConfig` section of the configuration.
// A table used while a configuration is loaded.
// Any thread.
#pragma once

#include "common/config/fields/field_table.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::config {

[[nodiscard]] const Table<StorageConfig> &storage_table();

}  // namespace farlink::config
