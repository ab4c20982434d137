// SPDX-License-Identifier: Apache-2.0
// Binds a thread to a processor of the machine.
// Plain functions.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink {

/// Whether the process may use the processor with this number, from 0.
[[nodiscard]] bool has_processor(std::uint32_t processor);

/// Binds the calling thread to the processor; false if the system refuses.
[[nodiscard]] bool run_on_processor(std::uint32_t processor);

}  // namespace farlink
