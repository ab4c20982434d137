// SPDX-License-Identifier: Apache-2.0
// Folders that hold what is nobody else's business: bundles, state, tokens.
// Plain functions; any thread.
// What is made is the owner's alone. A folder that is there stays as its owner has made it: it may
// be one that others need.
#pragma once

#include <string>
#include <system_error>

namespace farlink {

/// Makes the folder, and those above it, unless it is there.
[[nodiscard]] std::error_code make_private_folder(const std::string &path);
/// Others than its owner may look into the folder, or change it.
[[nodiscard]] bool is_open_to_others(const std::string &path);

}  // namespace farlink
