// SPDX-License-Identifier: Apache-2.0
// Keys of the configuration that were renamed: old names are still read, with a warning.
// Constant tables and plain functions.
// Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/fields/field_table.hpp"
#include "common/config/fields/json_document.hpp"

namespace farlink::config {

struct RenamedKey {
    std::string_view section;  ///< its title: "inductsConfig[]"
    std::string_view old_key;
    std::string_view new_key;
    std::string_view until;  ///< the last version that reads the old name: "0.2"
};

/// The renamed keys of this version. Each stays for one minor version; CHANGELOG lists them.
[[nodiscard]] std::span<const RenamedKey> renamed_keys();

/// The current name of a key in the section's table.
[[nodiscard]] std::string_view current_key(const SectionInfo &section, std::string_view key,
                                           std::span<const RenamedKey> renamed = renamed_keys());

/// A warning for each old key in the document, with its place.
[[nodiscard]] std::vector<std::string> renamed_key_warnings(
    const SectionInfo &table, const JsonValue &document,
    std::span<const RenamedKey> renamed = renamed_keys());

}  // namespace farlink::config
