// SPDX-License-Identifier: Apache-2.0
// A bundle that returned after it left by a policy, static route or gateway waits before it is
// sent there again: ingress requests that by a bit of BatchedBundle::requests for storage.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink {

inline constexpr std::uint8_t kRequestLoopDelay = 64;

}  // namespace farlink
