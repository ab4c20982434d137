// SPDX-License-Identifier: Apache-2.0
// Gives storage copies of bundles that a next hop is slow to acknowledge, so that their sender gets
// its acknowledgement, and reports to storage what becomes of the copies.
// Owned by IngressCore; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "module/ingress/core/queues/next_hop_queues.hpp"

namespace farlink::ingress {

class CopyMaker {
public:
    CopyMaker(IngressContext &context, NextHopQueues &queues, UnackedCopies &copies)
        : context_(context), queues_(queues), copies_(copies) {}

    /// Sends copies to storage, as long as its window has room.
    void make_due_copies(TimePoint now);
    /// A batch over the same memory, without the bundles that `left_out` marks; empty: with all.
    [[nodiscard]] BatchPtr copy_of(const Batch &original, std::span<const std::uint8_t> left_out);

    /// The original of a copied bundle was sent, or was not and storage keeps the copy.
    void note_outcome(const BatchedBundle &bundle, bool sent) {
        outcomes_.push_back({bundle.arrival, bundle.flow, sent});
    }
    void send_outcomes();

    [[nodiscard]] TimePoint next_timeout() const;

private:
    IngressContext &context_;
    NextHopQueues &queues_;
    UnackedCopies &copies_;
    std::vector<bus::CopyFate> outcomes_;  ///< not sent to storage yet
};

}  // namespace farlink::ingress
