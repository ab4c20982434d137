// SPDX-License-Identifier: Apache-2.0
// A bundle that has come back to this node by a default gateway or a static route waits before it
// goes there again: ingress says so with one more bit of BatchedBundle::requests, storage obeys.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink {

inline constexpr std::uint8_t kRequestRest = 64;

}  // namespace farlink
