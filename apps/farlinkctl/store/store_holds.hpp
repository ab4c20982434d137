// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage hold|release|holds --dir`: what the operator holds, in the stateFolder of a
// node that is off.
// A plain function, called once; it returns the exit code.
// The folder is claimed as the node claims it.
#pragma once

#include "apps/farlinkctl/store/storage_options.hpp"

namespace farlink::ctl {

[[nodiscard]] int change_holds(const StorageOptions &options);

}  // namespace farlink::ctl
