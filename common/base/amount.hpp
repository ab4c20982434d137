// SPDX-License-Identifier: Apache-2.0
// Reads sizes and rates with suffixes: "64k", "1.5M", "1G".
// A plain function; values only.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace farlink {

/// A number, with k, M, G or T for powers of 1000 (as rates have them), Ki, Mi, Gi or Ti for powers
/// of 1024. Empty if it is not a number, negative, not whole after scaling, or above 2^63.
[[nodiscard]] std::optional<std::uint64_t> parse_amount(std::string_view text);

}  // namespace farlink
