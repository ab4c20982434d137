// SPDX-License-Identifier: Apache-2.0
// The limits of file descriptors and address space of this process, and whether a node can run with
// them. Plain functions; find_shortage() is pure, the others query the system.
// At start-up, on the main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace farlink {

inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

struct ProcessLimits {
    std::uint64_t descriptors = kNoLimit;
    std::uint64_t address_space_bytes = kNoLimit;
};

/// The needs of a process at its start, with a small reserve.
struct ProcessNeeds {
    std::size_t modules = 0;  ///< threads with a loop
    std::size_t links = 0;
    std::size_t disks = 0;
};

/// Raises the limit of descriptors to the hard limit (`ulimit -Hn`); returns all limits.
[[nodiscard]] ProcessLimits take_process_limits();
/// The limit that is too low and the required value, in one line; empty if all are sufficient.
[[nodiscard]] std::optional<std::string> find_shortage(const ProcessLimits &limits,
                                                       const ProcessNeeds &needs);
/// An uncaught exception, such as from a lack of memory or descriptors, ends the process with a
/// line of the reason and exit code 1, not with a signal.
void end_in_words();

}  // namespace farlink
