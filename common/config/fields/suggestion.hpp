// SPDX-License-Identifier: Apache-2.0
// Finds the known word that is nearest to a misspelled one.
// Plain functions; the result refers to the list of words.
// Any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace farlink::config {

/// How many letters to insert, delete, replace or swap with the neighbour to make `b` out of
/// `a`; upper and lower case are equal.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest of `known`, or an empty view if none is close enough for a typing error.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       std::span<const std::string_view> known);

}  // namespace farlink::config
