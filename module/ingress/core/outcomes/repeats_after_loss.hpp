// SPDX-License-Identifier: Apache-2.0
// Recognises bundles that a sender repeats after a lost session while their first copy is still
// here, and acknowledges them when the first copy is safe.
// Owned by IngressCore; one thread.
#pragma once

#include <vector>

#include "module/ingress/core/outcomes/disconnected_transfers.hpp"
#include "module/ingress/core/queues/next_hop_queues.hpp"

namespace farlink::ingress {

class RepeatsAfterLoss {
public:
    explicit RepeatsAfterLoss(IngressContext &context) : context_(context) {}

    /// A session has ended: remembers its bundles that wait for a link or are on one.
    void handle_upstream_closed(UpstreamId from, const UnackedCopies &copies,
                                const NextHopQueues &queues);
    /// False on a steady way: no bundle can be a repeat.
    [[nodiscard]] bool active() const { return !disconnected_.empty(); }
    /// True when the first copy is still here; the repeat ends, acknowledged now or later.
    [[nodiscard]] bool absorb(const bp::BundleView &view, const Arrival &arrival, TimePoint now);

    /// A copy of the bundle is in storage.
    void handle_copied(const BatchedBundle &bundle, TimePoint now) {
        if (active())
            acknowledge(disconnected_.secure(bundle.arrival), TransferDisposition::kSafe, now);
    }
    /// Ingress owns the bundle no longer.
    void handle_released(const BatchedBundle &bundle, TransferDisposition disposition,
                         TimePoint now) {
        if (active()) acknowledge(disconnected_.remove(bundle.arrival), disposition, now);
    }

private:
    void remember(const Batch &batch, std::size_t place, bool safe);
    void acknowledge(const std::vector<DisconnectedTransfers::Repeat> &repeats,
                     TransferDisposition disposition, TimePoint now);

    IngressContext &context_;
    DisconnectedTransfers disconnected_;
};

}  // namespace farlink::ingress
