// SPDX-License-Identifier: Apache-2.0
// Numbers of the command line: what is no number, negative or too large is answered with what is
// allowed, in its unit.
// Given to CLI11 with transform().
// Values; one thread.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace farlink::ctl {

inline constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

/// Decimal digits, nothing else; CLI11 by itself takes -5 for 2^64 - 5 and 010 for 8.
[[nodiscard]] CLI::Validator whole_number(const std::string &what, std::uint64_t least,
                                          std::uint64_t most = kAnyNumber);
/// With or without a fraction.
[[nodiscard]] CLI::Validator seconds_from_0(const std::string &what, std::uint64_t most);
/// Seconds likewise, or anything that is no number: a time in UTC is checked by whoever reads it.
[[nodiscard]] CLI::Validator moment(const std::string &what, std::uint64_t most);

}  // namespace farlink::ctl
