// SPDX-License-Identifier: Apache-2.0
// What the system allows this process of file descriptors and addresses, and whether a node can
// live with it. Plain functions; find_shortage() is pure, the others ask the system.
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

/// What a process needs to begin its work, and a little to go on.
struct ProcessNeeds {
    std::size_t modules = 0;  ///< threads with a loop
    std::size_t links = 0;
    std::size_t disks = 0;
};

/// As many descriptors as the system lets the process have (`ulimit -Hn`), and the rest as it is.
[[nodiscard]] ProcessLimits take_process_limits();
/// What is too little, in a line that says how much it takes; nothing when all is well.
[[nodiscard]] std::optional<std::string> find_shortage(const ProcessLimits &limits,
                                                       const ProcessNeeds &needs);
/// A thread that ends by an exception, as when memory or descriptors have run out, ends the process
/// with a line that says why and exit code 1, not with a signal.
void end_in_words();

}  // namespace farlink
