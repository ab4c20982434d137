// SPDX-License-Identifier: Apache-2.0
// Selects the bundles of a command: by record, by destination, or all.
// Plain functions, called by the commands.
// A record that does not exist fails the command before it changes anything.
#pragma once

#include <string>
#include <vector>

#include "apps/farlinkctl/store_files/storage_options.hpp"
#include "apps/farlinkctl/store_files/store_files.hpp"

namespace farlink::ctl {

/// `destination`: an endpoint, all of a node, or empty for all.
[[nodiscard]] bool is_for(const StoredBundle &bundle, const std::string &destination);
/// Of a bundle in pieces the first one in the folder.
[[nodiscard]] Result<std::vector<const StoredBundle *>, std::string> choose(
    const StoreFiles &store, const StorageOptions &options);

}  // namespace farlink::ctl
