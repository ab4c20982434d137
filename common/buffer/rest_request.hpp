// SPDX-License-Identifier: Apache-2.0
// A bundle that returned to this node via a default gateway or a static route waits before it is
// sent there again: ingress requests that by a bit of BatchedBundle::requests for storage.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink {

inline constexpr std::uint8_t kRequestRest = 64;

}  // namespace farlink
