// SPDX-License-Identifier: Apache-2.0
// Bundles between ingress, egress and storage: sent PUSH-PULL, never dropped.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include "common/buffer/batch.hpp"

namespace farlink::bus {

/// Ingress to egress: bundles to pass on at once (cut-through).
struct ForwardBatch {
    BatchPtr batch;
};
/// Ingress to storage: bundles to keep.
struct StoreBatch {
    BatchPtr batch;
};
/// Storage to egress: bundles whose link has come up.
struct ReleaseBatch {
    BatchPtr batch;
};
/// Egress to ingress: what a neighbour has sent by a link that egress hosts; sizes, slices and
/// transfers are set. It comes back when ingress needs the octets no more.
struct ArrivedBatch {
    BatchPtr batch;
};
/// Egress to ingress: bundles that leave by a session that ingress hosts (a neighbour has opened
/// it). The first slice of each is its rendered head.
struct TransmitBatch {
    BatchPtr batch;
};
/// Back to the batch's owner: every bundle has its outcome.
struct BatchOutcome {
    BatchPtr batch;
};

}  // namespace farlink::bus
