// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage` without `--dir`: the command to a running node.
// A plain function; one thread.
// docs/formats/control.md describes requests and replies.
#pragma once

#include "apps/farlinkctl/store_files/storage_options.hpp"

namespace farlink::ctl {

/// Sends the request that `options` describe and prints the reply; returns the exit code.
[[nodiscard]] int run_on_node(const StorageOptions &options);

}  // namespace farlink::ctl
