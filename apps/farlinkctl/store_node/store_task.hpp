// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage verify` and `compact` of a running node.
// A plain function; the command's thread.
// The node does the work and goes on with it when the command is ended.
#pragma once

#include "apps/farlinkctl/store_files/storage_options.hpp"

namespace farlink::ctl {

/// It returns the program's exit code: 1 also when something is damaged.
[[nodiscard]] int run_task(const StorageOptions &options);

}  // namespace farlink::ctl
