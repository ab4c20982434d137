// SPDX-License-Identifier: Apache-2.0
// A JSON text as a tree with duplicate keys, order and the spelling of numbers, for strict checks.
// Values, owned by the caller of the parser; any thread.
// Only json_document.cpp includes nlohmann/json, which reads the syntax.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/config/fields/config_error.hpp"

namespace farlink::config {

struct JsonMember;

struct JsonValue {
    enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kNumber, kText, kList, kObject };

    Kind kind = Kind::kNull;
    bool boolean = false;
    std::uint64_t integer = 0;        ///< kInteger: a number without sign, fraction and exponent
    double number = 0;                ///< kInteger and kNumber
    std::string text{};               ///< kText; kNumber: as spelled in the file
    std::vector<JsonValue> items{};   ///< kList
    std::vector<JsonMember> members;  ///< kObject, in the order of the file, duplicates too

    /// For messages: `"text"`, `-1`, `true`, `null`, `a list`, `an object`.
    [[nodiscard]] std::string describe() const;
};

struct JsonMember {
    std::string key;
    JsonValue value;
};

/// The limit of nesting, beyond any configuration.
inline constexpr std::size_t kDeepestNesting = 16;

/// Whether lists and objects of the text are nested deeper than that. Checked before parsing, since
/// a parsed tree is copied and written by recursion.
[[nodiscard]] bool nested_too_deeply(std::string_view text);

/// The limit of values, beyond any configuration; streamed items are not counted.
inline constexpr std::size_t kMostValues = 200'000;

/// Reads one JSON document (RFC 8259). An error's path is its place: "line 3, column 7".
[[nodiscard]] Result<JsonValue, ConfigError> parse_json(std::string_view text);

/// Receives the items of one long list one by one, so that they are not in memory together.
struct JsonStream {
    std::string_view key;  ///< of the document: the member that is the list
    /// Called with each item and its place in the list; an error ends the reading.
    std::function<std::optional<ConfigError>(std::size_t index, const JsonValue &item)> take;
};

/// The same; the list of `stream` is empty in the result.
[[nodiscard]] Result<JsonValue, ConfigError> parse_json(std::string_view text,
                                                        const JsonStream &stream);

}  // namespace farlink::config
