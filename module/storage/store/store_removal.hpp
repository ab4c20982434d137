// SPDX-License-Identifier: Apache-2.0
// Deletes the files of a store whose node has ended (`deleteOnExit`).
// A plain function; the thread that has ended the node.
// Other files in the folders stay, and so does a folder that is in use.
#pragma once

#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"

namespace farlink::storage {

/// A line for each folder whose files could not be deleted.
[[nodiscard]] std::vector<std::string> remove_store(const config::StorageConfig &config);

}  // namespace farlink::storage
