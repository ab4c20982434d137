// SPDX-License-Identifier: Apache-2.0
// A flow: the bundles to one endpoint with one priority, whose order is kept at this node.
// A plain function; any thread.
// Ingress and storage must agree on the key, so it is made here and nowhere else.
#pragma once

#include <cstdint>

#include "common/base/types.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bp {

/// Ingress and storage remember every flow of which a bundle was ever stored. There are no more
/// than these, so that nobody fills the memory by inventing endpoints; two endpoints that share one
/// wait for each other's stored bundles.
inline constexpr unsigned kFlowBits = 20;

/// What BatchedBundle::flow and bus::Backlog::flow hold. Not stable over releases.
[[nodiscard]] inline std::uint64_t flow_key(const EidView &destination, Priority priority) {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
    const std::uint64_t key =
        hash(destination) + kGolden * (static_cast<std::uint64_t>(priority) + 1);
    return ((key ^ (key >> 29)) * kGolden) >> (64 - kFlowBits);
}

}  // namespace farlink::bp
