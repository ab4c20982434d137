// SPDX-License-Identifier: Apache-2.0
// Changes parts of a JSON text and leaves the octets of all other parts as they are: order, spacing
// and the spelling of values stay.
// Plain functions on values; any thread. The text is one valid JSON object.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farlink::control {

/// Sets a top-level member; a new one comes last.
[[nodiscard]] std::string with_member(const std::string &text, std::string_view key,
                                      const std::string &value);

struct ListEdit {
    /// By place: the new text of an item; empty: it goes.
    std::map<std::size_t, std::optional<std::string>> items{};
    std::vector<std::string> more{};  ///< further items, at the end
};
/// Edits a top-level list; a missing one is made.
[[nodiscard]] std::string with_items(const std::string &text, std::string_view key,
                                     const ListEdit &edit);

}  // namespace farlink::control
