// SPDX-License-Identifier: Apache-2.0
// Sessions that bundles come from, and what became of those bundles.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/base/types.hpp"
#include "common/buffer/transfer_disposition.hpp"
#include "common/bus/messages/agent_id.hpp"

namespace farlink::bus {

/// Egress to ingress: bundles may come from a session on a link that egress hosts, or no more.
struct UpstreamChange {
    UpstreamId upstream = kNoUpstream;
    LinkId link = kNoLink;
    bool open = false;
    bool acknowledges = false;
    std::uint64_t next_transfer = 0;  ///< the number of the next bundle that comes from it
};
/// Ingress to egress: stop or resume taking bundles from such a session.
struct UpstreamPause {
    UpstreamId upstream = kNoUpstream;
    bool paused = false;
};
/// A run of bundles of one session that share their fate.
struct DispositionRun {
    UpstreamId upstream = kNoUpstream;
    std::uint64_t first = 0;
    std::uint32_t count = 0;
    TransferDisposition disposition = TransferDisposition::kSafe;
};
/// Ingress to egress: what became of bundles that such sessions have brought.
struct TransferDispositions {
    std::vector<DispositionRun> runs;
};
/// What became of a bundle of which storage has a copy.
struct CopyFate {
    std::uint64_t arrival = 0;
    std::uint64_t flow = 0;
    bool sent = false;  ///< the copy can go; otherwise it is now the only one
};
/// Ingress to storage, behind the StoreBatch with the copies.
struct CopyOutcomes {
    std::vector<CopyFate> fates;
    std::uint8_t instance = 0;  ///< of ingress
};
/// Storage to ingress, every instance: how many bundles of a flow wait. `taken` counts, for each
/// instance of ingress, the bundles of the flow that storage got from it since its last report of
/// the flow; cut-through resumes when waiting is 0 and all that the instance has sent was taken.
struct Backlog {
    std::uint64_t flow = 0;
    std::uint64_t waiting = 0;
    std::array<std::uint64_t, kMostInstances> taken{};
};

}  // namespace farlink::bus
