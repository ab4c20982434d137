// SPDX-License-Identifier: Apache-2.0
// The system's figures of this process: processor time, memory, threads, open descriptors.
// A value and a function without state; any thread.
// A reading costs some ten microseconds, and one more for each ten open descriptors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace farlink {

struct ProcessFigures {
    std::uint64_t process = 0;  ///< unique on this machine
    std::uint64_t cpu_ns = 0;   ///< since its start, in user and system mode
    std::uint64_t resident_bytes = 0;
    std::uint64_t threads = 0;
    std::uint64_t descriptors = 0;
};

/// Empty without /proc.
[[nodiscard]] std::optional<ProcessFigures> read_process_figures();

/// Fields of /proc/self/stat by their numbers in proc(5); only those behind the name, from 3 on,
/// since a name may contain any character. 0: no such field.
[[nodiscard]] std::uint64_t stat_field(std::string_view stat, unsigned field);

}  // namespace farlink
