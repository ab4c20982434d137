// SPDX-License-Identifier: Apache-2.0
// How long the node was off by its clock, and whether that is plausible.
// If that time is wrong, all stored bundles may expire at once.
// Plain functions; any thread.
#pragma once

#include "common/base/time.hpp"

namespace farlink::storage {

enum class Downtime : std::uint8_t {
    kUnknown,         ///< no earlier time is known, or the clock is behind it
    kPlausible,       ///< bundles expire
    kUnsynchronised,  ///< longer than a restart takes, by a clock that is not synchronised
    kImplausible,     ///< longer than nodes are off
};

/// A restart, also of the machine, takes less than this.
inline constexpr std::uint64_t kRestartMs = 5ULL * 60'000;
/// A clock that jumps by a day shows more than this.
inline constexpr std::uint64_t kLongOffMs = 12ULL * 3'600'000;
inline constexpr std::uint64_t kImplausibleOffMs = 30ULL * 24 * 3'600'000;

/// `last_alive`: when the node ran last, 0 when that is not known. `synchronised`: by the
/// report of the kernel. `overdue`: how many bundles expire if the time is right.
[[nodiscard]] constexpr Downtime judge_downtime(DtnTime last_alive, DtnTime now, bool synchronised,
                                                std::uint64_t overdue) {
    if (last_alive == 0 || now < last_alive) return Downtime::kUnknown;
    const std::uint64_t off_ms = now - last_alive;
    if (off_ms >= kImplausibleOffMs) return Downtime::kImplausible;
    const bool proof_wanted = off_ms >= kLongOffMs || (off_ms >= kRestartMs && overdue > 0);
    return proof_wanted && !synchronised ? Downtime::kUnsynchronised : Downtime::kPlausible;
}
[[nodiscard]] constexpr bool is_doubtful(Downtime off) {
    return off == Downtime::kUnsynchronised || off == Downtime::kImplausible;
}

}  // namespace farlink::storage
