// SPDX-License-Identifier: Apache-2.0
// The queue to one link of egress, or to storage: the batches being filled, the window of lent
// batches, and the batches that wait for the window.
// Owned by IngressCore; one thread.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::ingress {

struct OutputQueue {
    LinkId link = kNoLink;  ///< kNoLink: the queue to storage
    NodeNumber neighbour;
    bool up = false;
    Duration owlt{};                                     ///< one way
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};  ///< what the link can send

    bool fragments = true;  ///< egress cuts larger ones, if they may be

    std::uint64_t max_bytes = 0;  ///< the window; one batch may always be in flight
    std::uint64_t max_bundles = 0;
    std::uint64_t in_flight_bytes = 0;
    std::uint64_t in_flight_bundles = 0;

    /// Being filled by the current read: one for each priority, since egress sends the highest
    /// first; the queue to storage uses one, as storage separates them itself.
    std::array<BatchPtr, kPriorityCount> open;
    Ring<BatchPtr> waiting;          ///< for the window; the highest priority first
    TimePoint waiting_since{};       ///< when waiting became non-empty
    TimePoint not_before{};          ///< storage refused: nothing goes before this; else the epoch
    bool resumes = false;            ///< the next batch is the first since that refusal
    bool refuses = false;            ///< storage has kept nothing since its last refusal
    TimePoint refused_since{};       ///< the first refusal since it has kept something
    std::vector<UpstreamId> paused;  ///< sessions that this queue pauses

    [[nodiscard]] bool has_room() const {
        return in_flight_bytes == 0 ||
               (in_flight_bytes < max_bytes && in_flight_bundles < max_bundles);
    }
    [[nodiscard]] bool blocked() const { return not_before > TimePoint{}; }
    [[nodiscard]] BatchPtr &open_for(Priority priority) {
        return open[link == kNoLink ? 0 : static_cast<std::size_t>(priority)];
    }
    /// Behind what waits with the same priority or a higher one. What goes to storage stays in its
    /// order.
    void wait(BatchPtr batch) {
        waiting.push_back(std::move(batch));
        if (link == kNoLink) return;
        const auto priority = [this](std::size_t at) {
            return waiting[at]->bundles.front().priority;
        };
        for (std::size_t at = waiting.size() - 1; at > 0 && priority(at - 1) < priority(at); --at)
            std::swap(waiting[at - 1], waiting[at]);
    }
    void lend(const Batch &batch) {
        in_flight_bytes += batch.bytes;
        in_flight_bundles += batch.bundles.size();
    }
    void take_back(std::uint64_t bytes, std::uint64_t bundles) {
        FARLINK_INVARIANT(in_flight_bytes >= bytes && in_flight_bundles >= bundles);
        in_flight_bytes -= bytes;
        in_flight_bundles -= bundles;
    }
};

}  // namespace farlink::ingress
