// SPDX-License-Identifier: Apache-2.0
// A flow: the bundles to one endpoint with one priority, whose order is kept at this node.
// A plain function; any thread.
// The only place where the key is computed, since ingress and storage must agree on it.
#pragma once

#include <cstdint>

#include "common/base/types.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bp {

/// Ingress and storage keep every flow that has a stored bundle. The number of keys is limited, so
/// that invented endpoints cannot fill the memory; two endpoints with the same key wait for each
/// other's stored bundles.
inline constexpr unsigned kFlowBits = 20;

/// The value of BatchedBundle::flow and bus::Backlog::flow. It may differ between releases.
[[nodiscard]] inline std::uint64_t flow_key(const EidView &destination, Priority priority) {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
    const std::uint64_t key =
        hash(destination) + kGolden * (static_cast<std::uint64_t>(priority) + 1);
    return ((key ^ (key >> 29)) * kGolden) >> (64 - kFlowBits);
}

}  // namespace farlink::bp
