// SPDX-License-Identifier: Apache-2.0
// Makes folders for private data: bundles, state, tokens.
// Plain functions; any thread.
// New folders have mode 0700. The mode of an existing folder is not changed, since other programs
// may need it.
#pragma once

#include <string>
#include <system_error>

namespace farlink {

/// Makes the folder and its parents, unless it exists.
[[nodiscard]] std::error_code make_private_folder(const std::string &path);
/// Whether users other than the owner may read or change the folder.
[[nodiscard]] bool is_open_to_others(const std::string &path);

}  // namespace farlink
