// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage delete|compact --dir`: change the store of a node that is not running.
// Plain functions, called once; each returns the exit code.
// They write in the way of a node, so that a power cut loses nothing.
#pragma once

#include "apps/farlinkctl/store_files/storage_options.hpp"

namespace farlink::ctl {

/// Erases bundles without status reports; those in custody with `force` only.
[[nodiscard]] int delete_stored(const StorageOptions &options);
/// Copies all bundles to new files and deletes the old ones. Damaged records stay in place.
[[nodiscard]] int compact_store(const StorageOptions &options);

}  // namespace farlink::ctl
