// SPDX-License-Identifier: Apache-2.0
// The bundles in the logs of a store: a folder, or one file of it.
// A plain function that reads files; nothing is locked or changed.
// One thread. A node may run meanwhile: what it has not written to its end yet is left out.
#pragma once

#include <string>

#include "apps/bpinspect/input/found.hpp"
#include "common/base/result.hpp"

namespace farlink::inspect {

/// Calls `on_found` for each living bundle. Stripes, which lie on several disks, and pieces of
/// bundles that are too large for memory are only counted in a note. An error when `path` is
/// neither such a folder nor such a file.
[[nodiscard]] Result<void, std::string> read_store_logs(const std::string &path,
                                                        const OnFound &on_found, Notes &notes);

/// The name of a log's file: "00000001.log".
[[nodiscard]] bool is_log_name(const std::string &path);

}  // namespace farlink::inspect
