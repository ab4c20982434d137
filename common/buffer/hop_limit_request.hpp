// SPDX-License-Identifier: Apache-2.0
// A BPv7 bundle without a hop count block that leaves via a policy, static route or gateway gets
// one: ingress requests that by a bit of BatchedBundle::requests for egress.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink {

inline constexpr std::uint8_t kRequestHopLimit = 128;

}  // namespace farlink
