// SPDX-License-Identifier: Apache-2.0
// Randomness from the kernel: the only place where farlink reads a random device.
// No owner; cores get a seed or random octets as an argument, so that a run can be repeated.
// Any thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"

namespace farlink {

/// Fills `octets` with the kernel's random octets, good enough for keys.
void fill_random(MutableBytes octets);

/// A fresh seed for a Random.
[[nodiscard]] std::uint64_t entropy_seed();
/// What the processor's own generator gives (RDSEED); 0 where it has none, or none ready. To be
/// joined with another source.
[[nodiscard]] std::uint64_t processor_random();

}  // namespace farlink
