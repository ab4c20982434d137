// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage hold|release|holds --dir`: held destinations in the stateFolder of a node
// that is not running.
// A plain function, called once; it returns the exit code.
// The folder is locked as a running node locks it.
#pragma once

#include "apps/farlinkctl/store_files/storage_options.hpp"

namespace farlink::ctl {

[[nodiscard]] int change_holds(const StorageOptions &options);

}  // namespace farlink::ctl
