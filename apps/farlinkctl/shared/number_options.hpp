// SPDX-License-Identifier: Apache-2.0
// Validators for numbers of the command line; an error names the unit and the range that is
// allowed.
// Given to CLI11 with transform().
// Values; one thread.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace farlink::ctl {

inline constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

/// Accepts decimal digits only; CLI11 itself reads -5 as 2^64 - 5 and 010 as 8.
[[nodiscard]] CLI::Validator whole_number(const std::string &what, std::uint64_t least,
                                          std::uint64_t most = kAnyNumber);
/// With or without a fraction.
[[nodiscard]] CLI::Validator seconds_from_0(const std::string &what, std::uint64_t most);
/// Accepts such seconds, and any text that is no number: the reader checks times in UTC.
[[nodiscard]] CLI::Validator moment(const std::string &what, std::uint64_t most);

}  // namespace farlink::ctl
