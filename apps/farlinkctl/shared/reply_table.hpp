// SPDX-License-Identifier: Apache-2.0
// Fields of a reply as cells, and cells as a table.
// Plain functions; one thread.
// A member that a reply lacks is shown as "-".
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace farlink::ctl {

using Row = std::vector<std::string>;

/// Columns as wide as their widest cell, two spaces between them.
void print_rows(const std::vector<Row> &rows);
[[nodiscard]] std::string text(const nlohmann::ordered_json &object, const char *key);
/// A number with its noun: "1 bundle", "3 bundles".
[[nodiscard]] std::string counted_text(const nlohmann::ordered_json &object, const char *key,
                                       std::string_view noun);
/// text() of what a peer may have chosen: without control characters.
[[nodiscard]] std::string cell(const nlohmann::ordered_json &object, const char *key);
/// 0 when the member is no number.
[[nodiscard]] double number(const nlohmann::ordered_json &object, const char *key);
[[nodiscard]] bool is_true(const nlohmann::ordered_json &object, const char *key);

}  // namespace farlink::ctl
