// SPDX-License-Identifier: Apache-2.0
// The target of a request (RFC 9112 section 3.2): its path in segments, and its query.
// Plain functions on values; any thread.
// A target that is not valid by RFC 3986 is refused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace farlink::telemetry {

struct Target {
    std::vector<std::string> path;             ///< "/api/v1/x": api, v1, x; "/": one that is empty
    std::map<std::string, std::string> query;  ///< "a=b"; a key without value has an empty one
};

/// An error when the text is not valid.
[[nodiscard]] Result<Target, std::string> parse_target(std::string_view text);

/// A whole number without sign from 0 to `most`.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t most);

/// `true` or `false`; a query without the key is false. Nothing for another value.
[[nodiscard]] std::optional<bool> parse_flag(const Target &target, const char *key);

}  // namespace farlink::telemetry
