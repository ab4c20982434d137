// SPDX-License-Identifier: Apache-2.0
// Amounts, durations and foreign text as they stand in a table or on a screen.
// Plain functions on values; any thread.
// Three digits are enough to look at; --json has them all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace farlink::ctl {

/// "0", "999", "1.23k", "45.6M", "789G": powers of 1,000.
[[nodiscard]] std::string short_number(double value);
/// "512 B", "1.23 MB"
[[nodiscard]] std::string octets_text(double octets);
/// "59 s", "3 min 4 s", "2 h 5 min", "4 d 6 h"
[[nodiscard]] std::string duration_text(double seconds);
/// What a peer may have chosen, fit for a terminal: control characters become "?". UTF-8.
[[nodiscard]] std::string printable(std::string_view text);
/// Columns that a text of UTF-8 takes, one for each character.
[[nodiscard]] std::size_t columns_of(std::string_view text);
/// Its beginning, of at most `columns`; what was cut off is told by a last "~".
[[nodiscard]] std::string cut(std::string_view text, std::size_t columns);
/// A bar for each value between 0 and the largest, each for as many values as `columns` needs;
/// those below 0 are not known. `utf8`: in block elements, otherwise in ASCII.
[[nodiscard]] std::string sparkline(const std::vector<double> &values, std::size_t columns,
                                    bool utf8);

}  // namespace farlink::ctl
