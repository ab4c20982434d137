// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage delete|compact --dir`: change the store of a node that is off.
// Plain functions, called once; each returns the exit code.
// They write as a node writes, so that a power cut in the midst of it loses nothing.
#pragma once

#include "apps/farlinkctl/store/storage_options.hpp"

namespace farlink::ctl {

/// Erases bundles: they are gone for good, and nobody is told. Those in custody only with `force`.
[[nodiscard]] int delete_stored(const StorageOptions &options);
/// Writes everything that lives into new files, after which the old ones go. What is damaged stays
/// where it is.
[[nodiscard]] int compact_store(const StorageOptions &options);

}  // namespace farlink::ctl
