// SPDX-License-Identifier: Apache-2.0
// Writes files of the state folder so that a power cut leaves the old one or the new one, whole.
// Plain functions; one thread a file.
// Each returns the error, or an empty text.
#pragma once

#include <string>
#include <string_view>

namespace farlink::control {

/// Makes the folder when it is missing, with mode 0700.
[[nodiscard]] std::string make_state_folder(const std::string &folder);
/// Writes a file beside the old one, flushes it, and renames it.
[[nodiscard]] std::string replace_file(const std::string &path, std::string_view text);
/// Adds a line and flushes it; a line that cannot be flushed is removed.
[[nodiscard]] std::string append_line(const std::string &path, std::string_view line);
/// Removes the octets behind the last line end: a line that a power cut has cut short.
void cut_last_line(const std::string &path);

}  // namespace farlink::control
