// SPDX-License-Identifier: Apache-2.0
// Output of `farlinkctl storage --dir`: lines of text, or one JSON object a line.
// Plain functions; the command's thread.
// Times are UTC; in JSON, DTN milliseconds (RFC 9171 section 4.2.6).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/farlinkctl/store_files/store_files.hpp"

namespace farlink::ctl {

/// "2026-01-02T03:04:05Z"; "never" for kDtnNever.
[[nodiscard]] std::string time_text(DtnTime time);
[[nodiscard]] std::string_view priority_name(Priority priority);

/// The fields of the bundle in the log.
[[nodiscard]] nlohmann::ordered_json to_json(const StoredBundle &bundle);
/// Adds the fields of the bundle itself; nothing when the octets are no bundle. `first_piece`: they
/// are its beginning, with the whole head.
void add_fields(nlohmann::ordered_json &to, ByteView bundle, bool first_piece);

/// A line of JSON on standard output.
void print_line(const nlohmann::ordered_json &object);
/// A name and its value on each line.
void print_fields(const nlohmann::ordered_json &object);
/// The table of `storage list --dir`.
void print_table(const std::vector<StoredBundle> &bundles);

}  // namespace farlink::ctl
