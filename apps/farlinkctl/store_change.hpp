// SPDX-License-Identifier: Apache-2.0
// `farlinkctl store drop` and `compact`: change the store of a node that is off.
// Plain functions, called once; each returns the exit code.
// They write as a node writes, so that a power cut in the midst of it loses nothing.
#pragma once

#include "apps/farlinkctl/options.hpp"

namespace farlink::ctl {

/// Erases bundles: they are gone for good, and nobody is told.
[[nodiscard]] int drop_stored(const StoreOptions &options);
/// Writes everything that lives into new files, after which the old ones go. What is damaged stays
/// where it is.
[[nodiscard]] int compact_store(const StoreOptions &options);

}  // namespace farlink::ctl
