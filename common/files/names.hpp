// SPDX-License-Identifier: Apache-2.0
// Which names of files may be sent, and written beneath a folder.
// Plain functions.
// Any thread.
#pragma once

#include <string>
#include <string_view>

namespace farlink::files {

/// The receiver keeps what is not complete in a folder of this name.
inline constexpr std::string_view kStateFolder = ".bpreceivefile";
inline constexpr std::size_t kLongestPath = 3072;
inline constexpr std::size_t kLongestPart = 255;
inline constexpr std::size_t kMostParts = 256;

/// What is wrong with a relative name; empty: nothing is. It stays beneath the folder where it is
/// written, as long as no part of it is a symbolic link.
[[nodiscard]] std::string wrong_name(std::string_view name);

/// "folder" of "folder/name"; empty: there is none.
[[nodiscard]] std::string_view folder_of(std::string_view name);
[[nodiscard]] std::string_view last_part_of(std::string_view name);

/// The name with a number, in front of its extension: "a/photo (2).jpg".
[[nodiscard]] std::string numbered(std::string_view name, unsigned number);

/// For people: octets that a terminal may act on are escaped as "\x1b".
[[nodiscard]] std::string printable(std::string_view name);

}  // namespace farlink::files
