// SPDX-License-Identifier: Apache-2.0
// Writes files of the state folder so that a power cut leaves the old one or the new one, whole.
// Plain functions; one thread a file.
// Each returns what is wrong, or an empty text.
#pragma once

#include <string>
#include <string_view>

namespace farlink::app {

/// Makes the folder when it is missing; readable by the node's user alone.
[[nodiscard]] std::string make_state_folder(const std::string &folder);
/// Writes beside it, flushes, and puts it in the place of the old one.
[[nodiscard]] std::string replace_file(const std::string &path, std::string_view text);
/// Adds a line and flushes it; one that cannot be flushed is taken back.
[[nodiscard]] std::string append_line(const std::string &path, std::string_view line);
/// Takes away what stands behind the last line end: a line that a power cut has cut short.
void cut_last_line(const std::string &path);

}  // namespace farlink::app
