// SPDX-License-Identifier: Apache-2.0
// Output of `farlinkctl storage --dir` as text and as JSON.
// Plain functions; the command's thread.
// Times are UTC.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/farlinkctl/store_files/store_files.hpp"

namespace farlink::ctl {

/// "2026-01-02T03:04:05Z"; "never" for kDtnNever.
[[nodiscard]] std::string time_text(DtnTime time);
[[nodiscard]] std::string_view priority_name(Priority priority);

/// The members that a running node has for the bundle, with its record as its number; of a stripe
/// or a piece also those of the part. `beginning`: the first octets of the bundle, or none.
/// `folder` stands for the name of the disk.
[[nodiscard]] nlohmann::ordered_json row_json(const StoredBundle &bundle, ByteView beginning,
                                              const std::string &folder);

/// The fields of the bundle in the log, as version 0.1.0 named them.
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
