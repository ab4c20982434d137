// SPDX-License-Identifier: Apache-2.0
// Finds what somebody probably meant: the nearest of some known words.
// Plain functions; the answer borrows from the list of words.
// Any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace farlink::config {

/// How many letters to insert, delete, replace or swap with the neighbour to make `b` out of
/// `a`; upper and lower case are equal.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest of `known`, or an empty view when none is near enough to be a slip of the pen.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       std::span<const std::string_view> known);

}  // namespace farlink::config
