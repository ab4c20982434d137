// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage --dir`: the command on the files of a node that is not running.
// A plain function; one thread.
// The folder is locked as a running node locks it.
#pragma once

#include "apps/farlinkctl/store_files/storage_options.hpp"

namespace farlink::ctl {

/// Runs the command that `options.verb` names; returns the exit code.
[[nodiscard]] int run_on_files(const StorageOptions &options);

}  // namespace farlink::ctl
