// SPDX-License-Identifier: Apache-2.0
// Which bundles of a store a command is about: those named, those to one destination, or all.
// Plain functions, called by the commands.
// A record that is not there fails the whole command, before anything has been done.
#pragma once

#include <string>
#include <vector>

#include "apps/farlinkctl/store/storage_options.hpp"
#include "apps/farlinkctl/store/store_files.hpp"

namespace farlink::ctl {

/// `destination`: an endpoint, all of a node, or empty for all.
[[nodiscard]] bool is_for(const StoredBundle &bundle, const std::string &destination);
[[nodiscard]] Result<std::vector<const StoredBundle *>, std::string> choose(
    const StoreFiles &store, const StorageOptions &options);

}  // namespace farlink::ctl
