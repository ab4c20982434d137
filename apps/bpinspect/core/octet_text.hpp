// SPDX-License-Identifier: Apache-2.0
// Octets, times and bits as text for people.
// Plain functions on values; any thread.
// What comes from a bundle is printed without control characters.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/base/bytes.hpp"
#include "common/base/hex.hpp"

namespace farlink::inspect {

/// At most `most` octets, then "...".
[[nodiscard]] std::string hex_text(ByteView octets, std::size_t most);
[[nodiscard]] bool is_printable(ByteView octets);

/// "2026-01-02T03:04:05.000Z"; "" of a time behind the year 9999.
[[nodiscard]] std::string utc_of_ms(std::uint64_t dtn_ms);
[[nodiscard]] std::string utc_of_s(std::uint64_t dtn_s);
/// "1 d 2 h 3 min 4.005 s"
[[nodiscard]] std::string duration_of_ms(std::uint64_t ms);

struct BitName {
    std::uint64_t bit = 0;
    const char *name = "";
};
/// "is a fragment, must not be fragmented"; "none"; unnamed bits as "bit 9".
[[nodiscard]] std::string names_of_bits(std::uint64_t bits, std::span<const BitName> names);
/// The bits that have no name.
[[nodiscard]] std::uint64_t unnamed_bits(std::uint64_t bits, std::span<const BitName> names);

}  // namespace farlink::inspect
