// SPDX-License-Identifier: Apache-2.0
// What the clock says of the time that a node was off, and whether to believe it: what waits in the
// store may expire by it, all at once.
// Plain functions; any thread.
#pragma once

#include "common/base/time.hpp"

namespace farlink::storage {

enum class OffTime : std::uint8_t {
    kShort,           ///< nothing to speak of
    kLong,            ///< worth a line
    kUnsynchronised,  ///< long, by a clock that nobody has set right
    kImplausible,     ///< longer than nodes are off
};

/// A clock that jumps by a day while nobody looks shows more than this.
inline constexpr std::uint64_t kLongOffMs = 12ULL * 3'600'000;
inline constexpr std::uint64_t kImplausibleOffMs = 30ULL * 24 * 3'600'000;

/// `last_alive`: when the node was seen last, 0 when that is not known. `synchronised`: as the
/// kernel says.
[[nodiscard]] constexpr OffTime judge_off_time(DtnTime last_alive, DtnTime now, bool synchronised) {
    if (last_alive == 0 || now < last_alive || now - last_alive < kLongOffMs)
        return OffTime::kShort;
    if (now - last_alive >= kImplausibleOffMs) return OffTime::kImplausible;
    return synchronised ? OffTime::kLong : OffTime::kUnsynchronised;
}
[[nodiscard]] constexpr bool is_doubtful(OffTime off) {
    return off == OffTime::kUnsynchronised || off == OffTime::kImplausible;
}

}  // namespace farlink::storage
