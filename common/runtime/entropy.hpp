// SPDX-License-Identifier: Apache-2.0
// Random octets of the kernel; no other file reads a random device.
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
/// A value of the processor's generator (RDSEED); 0 if there is none, or none is ready. To be
/// combined with another source.
[[nodiscard]] std::uint64_t processor_random();

}  // namespace farlink
