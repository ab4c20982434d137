// SPDX-License-Identifier: Apache-2.0
// What the system says of this process: processor time, memory, threads, open descriptors.
// A value and a function without state; any thread.
// A reading costs some ten microseconds, and one more for each ten open descriptors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace farlink {

struct ProcessFigures {
    std::uint64_t process = 0;  ///< of this process and no other one of the machine, ever
    std::uint64_t cpu_ns = 0;   ///< since its start, in user and system mode
    std::uint64_t resident_bytes = 0;
    std::uint64_t threads = 0;
    std::uint64_t descriptors = 0;
};

/// Nothing where /proc is not there.
[[nodiscard]] std::optional<ProcessFigures> read_process_figures();

/// Fields of /proc/self/stat, as proc(5) numbers them from 1; those behind the name, which may hold
/// anything, from 3. 0: there is no such number.
[[nodiscard]] std::uint64_t stat_field(std::string_view stat, unsigned field);

}  // namespace farlink
