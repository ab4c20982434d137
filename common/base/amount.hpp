// SPDX-License-Identifier: Apache-2.0
// Sizes and rates as people write them: "64k", "1.5M", "1G".
// A plain function; values only.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace farlink {

/// A number, with k, M, G or T for powers of 1000 (as rates have them), Ki, Mi, Gi or Ti for powers
/// of 1024. Empty when it is none, negative, no whole number in the end, or above 2^63.
[[nodiscard]] std::optional<std::uint64_t> parse_amount(std::string_view text);

}  // namespace farlink
