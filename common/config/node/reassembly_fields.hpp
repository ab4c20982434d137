// SPDX-License-Identifier: Apache-2.0
// The `reassembly` section of the storage configuration.
// A table used while a configuration is loaded.
// Any thread.
#pragma once

#include "common/config/fields/field_table.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::config {

[[nodiscard]] const Table<ReassemblyConfig> &reassembly_table();

}  // namespace farlink::config
