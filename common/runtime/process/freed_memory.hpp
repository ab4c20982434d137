// SPDX-License-Identifier: Apache-2.0
// Returns memory to the system after very much of it was freed.
// Functions with one state for the process; note_freed_memory() may be called by any thread.
// The C library keeps what is freed between parts that are in use. To return it takes up to a tenth
// of a second for each 500 MB, and the locks of the allocator: not on the data path.
#pragma once

#include <cstdint>

namespace farlink {

/// About so many octets were freed.
void note_freed_memory(std::uint64_t bytes);

/// Returns the freed memory, if it is much, and nothing was noted since the last call. One thread
/// of the process calls it each second. True: it did.
bool return_freed_memory();

}  // namespace farlink
