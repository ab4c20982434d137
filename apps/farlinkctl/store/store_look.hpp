// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage list --dir`, `show`, `export` and `verify`: look at the store of a node that
// is off. Plain functions, called once; each returns the exit code. They read only; the store stays
// as it is.
#pragma once

#include "apps/farlinkctl/store/storage_options.hpp"

namespace farlink::ctl {

[[nodiscard]] int list_store(const StorageOptions &options);
[[nodiscard]] int show_stored(const StorageOptions &options);
[[nodiscard]] int export_stored(const StorageOptions &options);
/// Reads every octet of every file; fails when anything that lives, or lived, cannot be read.
[[nodiscard]] int verify_store(const StorageOptions &options);

}  // namespace farlink::ctl
