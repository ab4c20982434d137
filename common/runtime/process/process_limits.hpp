// SPDX-License-Identifier: Apache-2.0
// The limits of file descriptors and address space of this process, and whether a node can run with
// them. Plain functions; find_shortage() is pure, the others query the system.
// At start-up, on the main thread; memory_shortage() on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace farlink {

inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

struct ProcessLimits {
    std::uint64_t descriptors = kNoLimit;
    std::uint64_t address_space_bytes = kNoLimit;
    std::uint64_t address_space_used = 0;            ///< now
    std::uint64_t stack_bytes = 8ULL * 1024 * 1024;  ///< of a new thread
};

/// The needs of a process at its start, with a small reserve.
struct ProcessNeeds {
    std::size_t modules = 0;  ///< threads with a loop
    std::size_t links = 0;
    std::size_t disks = 0;
    std::size_t connections = 0;     ///< of a module here with a module of another process
    std::uint64_t mapped_bytes = 0;  ///< of files: the bundle histories of the modules
};

/// Raises the limit of descriptors to the hard limit (`ulimit -Hn`); returns all limits.
[[nodiscard]] ProcessLimits take_process_limits();
/// The limit that is too low and the required value, in one line; empty if all are sufficient.
[[nodiscard]] std::optional<std::string> find_shortage(const ProcessLimits &limits,
                                                       const ProcessNeeds &needs);
/// Why the system grants this process no more memory, by its limits at this time.
[[nodiscard]] std::string memory_shortage();
/// An uncaught exception, such as from a lack of memory or descriptors, ends the process with exit
/// code 1, not with a signal. A line names the reason, what was being done (CurrentWork), and the
/// limit that was reached.
void end_in_words();

}  // namespace farlink
