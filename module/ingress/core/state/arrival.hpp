// SPDX-License-Identifier: Apache-2.0
// One bundle that ingress processes: its octets, and the session from which it arrived.
// A value that borrows; valid while the call that makes it lasts.
// One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/base/bytes.hpp"
#include "common/base/types.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/slab.hpp"

namespace farlink::ingress {

struct Arrival {
    std::span<const ByteView> slices;
    std::span<const SlabRef> slabs;
    std::uint64_t size = 0;
    UpstreamId from = kNoUpstream;
    UpstreamId waiting = kNoUpstream;      ///< the session, if it waits for an acknowledgement
    std::uint32_t transfer = 0;            ///< the bundle's number there
    const BatchedBundle *again = nullptr;  ///< set if storage could not keep it before
    NodeNumber sender{};                   ///< the neighbour of the session; 0: not known
    std::optional<Priority> asked{};       ///< of an application, for its bundle
    bool made_here = false;                ///< by this node, so its CRCs are right
};

}  // namespace farlink::ingress
