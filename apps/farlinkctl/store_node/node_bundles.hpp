// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage export` and `show --decoded` of a running node.
// Plain functions; the command's thread.
// A bundle goes into its file a piece at a time, each by a request of its own.
#pragma once

#include "apps/farlinkctl/store_files/storage_options.hpp"

namespace farlink::ctl {

/// They return the program's exit code.
[[nodiscard]] int export_kept(const StorageOptions &options);
[[nodiscard]] int show_decoded(const StorageOptions &options);

}  // namespace farlink::ctl
