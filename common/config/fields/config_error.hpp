// SPDX-License-Identifier: Apache-2.0
// The errors of a configuration: the place, what was found, what is allowed.
// Values, made while a file is checked and printed by the program; any thread.
// A check does not stop at the first error: the list is complete.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farlink::config {

/// One error, printed as `path: problem; expected ...; hint`.
struct ConfigError {
    std::string path;      ///< JSON path, "outductsConfig[1].url"; empty for the whole document
    std::string problem;   ///< "found -1", "missing", "unknown key", ...
    std::string expected;  ///< what is allowed; may be empty
    std::string hint;      ///< what to do about it; may be empty

    [[nodiscard]] std::string to_string() const;
    friend bool operator==(const ConfigError &, const ConfigError &) = default;
};

/// A limit of memory for long files with an error in each line.
inline constexpr std::size_t kMostErrors = 100;

/// All errors of one file.
struct ConfigErrors {
    std::string source;  ///< name of the file, or empty
    std::vector<ConfigError> errors;
    std::size_t omitted = 0;  ///< the number of further errors

    /// Keeps the error, or only counts it beyond kMostErrors.
    void add(ConfigError error);
    /// Counts all but the first kMostErrors.
    void trim();
    [[nodiscard]] bool empty() const { return errors.empty(); }
    /// One line per error, each beginning with the source; then the number of further errors.
    [[nodiscard]] std::string to_string() const;
};

inline constexpr std::size_t kLongestQuote = 60;

/// `text` in quotes, fit for one line of a terminal: control and non-ASCII octets escaped, cut
/// after `longest` octets.
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t longest = kLongestQuote);

/// "a, b or c", each in quotes when `quote` is set.
[[nodiscard]] std::string alternatives(std::span<const std::string_view> texts, bool quote);

/// `path` and the name of a member: "storageConfig.segmentBytes"; just the name at the top.
[[nodiscard]] std::string member_path(std::string_view path, std::string_view key);
/// `path` and a place in a list: "contacts[3]".
[[nodiscard]] std::string item_path(std::string_view path, std::size_t index);

}  // namespace farlink::config
