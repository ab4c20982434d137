// SPDX-License-Identifier: Apache-2.0
// Whether the disks are as large as the store may become.
// A free function; it asks the file systems.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"

namespace farlink::storage {

/// A line for each file system that has less room than the store may take on it, the store's own
/// files counted as room.
[[nodiscard]] std::vector<std::string> review_room(const config::StorageConfig &config);

}  // namespace farlink::storage
