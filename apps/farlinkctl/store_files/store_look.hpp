// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage list --dir`, `show`, `export` and `verify`: read the store of a node that is
// not running. Plain functions, called once; each returns the exit code.
// They change nothing.
#pragma once

#include "apps/farlinkctl/store_files/storage_options.hpp"

namespace farlink::ctl {

[[nodiscard]] int list_store(const StorageOptions &options);
[[nodiscard]] int show_stored(const StorageOptions &options);
[[nodiscard]] int export_stored(const StorageOptions &options);
/// Reads every octet of every file; fails when any record is damaged.
[[nodiscard]] int verify_store(const StorageOptions &options);

}  // namespace farlink::ctl
