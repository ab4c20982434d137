// SPDX-License-Identifier: Apache-2.0
// Which bundles of a store a command is about: those named, those to one destination, or all.
// Plain functions, called by the commands.
// A record that is not there fails the whole command, before anything has been done.
#pragma once

#include <string>
#include <vector>

#include "apps/farlinkctl/options.hpp"
#include "apps/farlinkctl/store_files.hpp"

namespace farlink::ctl {

[[nodiscard]] Result<std::vector<const StoredBundle *>, std::string> choose(
    const StoreFiles &store, const StoreOptions &options);

}  // namespace farlink::ctl
