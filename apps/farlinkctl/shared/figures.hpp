// SPDX-License-Identifier: Apache-2.0
// Formats amounts, durations and text from peers for a table or a screen.
// Plain functions on values; any thread.
// Amounts have three digits; --json has all.
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
/// Text from a peer, safe for a terminal: control characters become "?". UTF-8.
[[nodiscard]] std::string printable(std::string_view text);
/// Columns that a text of UTF-8 takes, one for each character.
[[nodiscard]] std::size_t columns_of(std::string_view text);
/// The beginning of the text, at most `columns` wide; "~" at its end marks a cut.
[[nodiscard]] std::string cut(std::string_view text, std::size_t columns);
/// A line of at most `columns` bars, scaled to the largest value; a bar stands for several values
/// when there are more. Values below 0 are unknown. `utf8`: block elements, otherwise ASCII.
[[nodiscard]] std::string sparkline(const std::vector<double> &values, std::size_t columns,
                                    bool utf8);

}  // namespace farlink::ctl
