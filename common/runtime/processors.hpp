// SPDX-License-Identifier: Apache-2.0
// On which of the machine's processors a thread runs.
// Plain functions.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink {

/// Whether the process may use that processor, by its number from 0.
[[nodiscard]] bool has_processor(std::uint32_t processor);

/// The calling thread runs there and nowhere else from now on; false: the system refuses.
[[nodiscard]] bool run_on_processor(std::uint32_t processor);

}  // namespace farlink
