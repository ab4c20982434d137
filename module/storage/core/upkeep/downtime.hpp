// SPDX-License-Identifier: Apache-2.0
// How long the node was off by its clock, and whether that is plausible.
// If that time is wrong, all stored bundles may expire at once.
// Plain functions; any thread.
#pragma once

#include "common/base/time.hpp"

namespace farlink::storage {

enum class Downtime : std::uint8_t {
    kShort,           ///< short enough to be ignored
    kLong,            ///< is logged
    kUnsynchronised,  ///< long, by a clock that is not synchronised
    kImplausible,     ///< longer than nodes are off
};

/// A clock that jumps by a day shows more than this.
inline constexpr std::uint64_t kLongOffMs = 12ULL * 3'600'000;
inline constexpr std::uint64_t kImplausibleOffMs = 30ULL * 24 * 3'600'000;

/// `last_alive`: when the node ran last, 0 when that is not known. `synchronised`: by the
/// report of the kernel.
[[nodiscard]] constexpr Downtime judge_downtime(DtnTime last_alive, DtnTime now,
                                                bool synchronised) {
    if (last_alive == 0 || now < last_alive || now - last_alive < kLongOffMs)
        return Downtime::kShort;
    if (now - last_alive >= kImplausibleOffMs) return Downtime::kImplausible;
    return synchronised ? Downtime::kLong : Downtime::kUnsynchronised;
}
[[nodiscard]] constexpr bool is_doubtful(Downtime off) {
    return off == Downtime::kUnsynchronised || off == Downtime::kImplausible;
}

}  // namespace farlink::storage
