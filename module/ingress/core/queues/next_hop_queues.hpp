// SPDX-License-Identifier: Apache-2.0
// The output queues of ingress: one for storage, one for each link. They fill batches, lend them
// within their windows, and pause sessions or spill to storage when a window is full.
// Owned by IngressCore; one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/base/endpoint_links.hpp"
#include "common/config/node/link_placement.hpp"
#include "common/routing/forwarding_table.hpp"
#include "module/ingress/core/queues/output_queue.hpp"
#include "module/ingress/core/queues/unacked_copies.hpp"
#include "module/ingress/core/state/ingress_context.hpp"

namespace farlink::ingress {

class NextHopQueues {
public:
    static constexpr std::size_t kStorageQueue = 0;

    /// Batches are numbered from `first_batch`, above every number of an earlier run.
    NextHopQueues(IngressContext &context, UnackedCopies &copies, std::uint64_t first_batch);

    // ---- bundles
    /// Adds a bundle to the open batch of the queue at `index`.
    void add(std::size_t index, BatchedBundle &bundle, const Arrival &arrival, NodeNumber sender,
             TimePoint now);
    /// Sends a piece of a large bundle to storage, alone in its batch.
    void add_piece(const BundlePiece &piece, BatchedBundle &bundle, const Arrival &arrival,
                   NodeNumber sender, TimePoint now);
    /// Storage is to keep nothing of what it has got of that bundle.
    void drop_pieces(std::uint64_t spool, TimePoint now);
    /// The read of `from` is complete: sends the batches that it has filled.
    void close_open_batches(UpstreamId from, TimePoint now);
    /// Lends the batch at once, whatever waits.
    void lend(OutputQueue &queue, BatchPtr batch, TimePoint now);
    /// Sends a batch that did not leave by its link to storage; `from`: kNoUpstream pauses none.
    void hand_to_storage(BatchPtr batch, UpstreamId from, TimePoint now);
    /// A batch that was lent is back.
    void handle_returned(const Batch &batch);
    /// Lends waiting batches, as far as the window allows.
    void pump(OutputQueue &queue, TimePoint now);

    // ---- spilling to storage
    void spill(OutputQueue &queue, TimePoint now);
    /// Of queues in which a bundle has waited too long, so that their sessions are read again.
    void spill_overdue(TimePoint now);
    /// Of all links: the node stops.
    void spill_all(TimePoint now);

    // ---- links
    void handle(const bus::LinkUp &event, TimePoint now);
    void handle(const bus::LinkDown &event, TimePoint now);
    void handle(const bus::LinkSnapshot &snapshot, TimePoint now);
    /// Endpoints of applications are links, too.
    void handle(const bus::EndpointsChange &change, TimePoint now);
    void handle_applications_lost(TimePoint now);
    /// The window of a link that a neighbour has opened.
    void set_window(LinkId link, NodeNumber neighbour, std::uint64_t bytes, std::uint64_t bundles);
    /// The link's queue; null for a link that was never up.
    [[nodiscard]] OutputQueue *queue_of(LinkId link) {
        const auto &outducts = context_.config.outducts;
        if (!outducts.empty()) {
            const std::uint32_t index = link.value() - outducts.front().id.value();
            if (index < outducts.size()) return &queues_[1 + index];
        }
        const auto found = later_queues_.find(link);
        return found == later_queues_.end() ? nullptr : &queues_[found->second];
    }
    /// The queue of this hop, when its link is up and still leads there; else null.
    [[nodiscard]] const OutputQueue *open_queue(const routing::NextHop &hop) {
        const OutputQueue *queue = queue_of(hop.link);
        return queue != nullptr && queue->up && queue->neighbour == hop.neighbour ? queue : nullptr;
    }
    /// The queue of a batch, which has been lent.
    [[nodiscard]] OutputQueue &queue_of(const Batch &batch) {
        return batch.link == kNoLink ? storage() : *queue_of(batch.link);
    }
    /// The batch is the only one in flight to its link.
    [[nodiscard]] bool is_alone(const Batch &batch) {
        const OutputQueue *queue = queue_of(batch.link);
        return queue != nullptr && queue->in_flight_bundles == batch.bundles.size();
    }
    /// Storage has kept nothing of what it was offered for two seconds, and nothing is lent that
    /// could leave and make room.
    [[nodiscard]] bool storage_stays_full(TimePoint now) const;
    [[nodiscard]] OutputQueue &storage() { return queues_[kStorageQueue]; }
    [[nodiscard]] std::size_t index_of(const OutputQueue &queue) const {
        return static_cast<std::size_t>(&queue - queues_.data());
    }
    /// Calls `visit` with every batch of the session that waits for a link.
    template <class Visit>
    void for_each_waiting_of(UpstreamId upstream, Visit &&visit) const {
        for (const OutputQueue &queue : queues_)
            for (std::size_t at = 0; queue.link != kNoLink && at < queue.waiting.size(); ++at)
                if (const Batch &batch = *queue.waiting[at]; batch.upstream == upstream)
                    visit(batch);
    }

    // ---- messages
    [[nodiscard]] std::optional<bus::Outgoing> poll_message();
    /// Ingress sends the batch of the ForwardBatch polled last itself: egress never gets it.
    void withdraw_forwarded(LinkId link);
    /// This carrier has restarted, and has seen no batch.
    void forget_forwarded(std::size_t carrier) { forwarded_[carrier] = 0; }

    void set_longest_pause(Duration pause) { longest_pause_ = pause; }

    [[nodiscard]] std::uint64_t last_number() const { return next_batch_ - 1; }
    [[nodiscard]] TimePoint next_timeout() const;

private:
    void submit(std::size_t index, BatchPtr batch, UpstreamId from, TimePoint now);
    [[nodiscard]] bool may_lend(const OutputQueue &queue) const;
    [[nodiscard]] bool copy_at_once(std::size_t index, const Batch &batch, TimePoint now) const;
    void set_link(const bus::LinkEntry &entry, TimePoint now);
    void set_endpoints(const std::vector<bus::EndpointEntry> &changed, TimePoint now);
    void resume_paused(OutputQueue &queue);
    OutputQueue &add_queue(LinkId link, NodeNumber neighbour);
    [[nodiscard]] bool is_overdue(const OutputQueue &queue, TimePoint now) const {
        return queue.link != kNoLink && !queue.waiting.empty() &&
               queue.waiting_since + longest_pause_ <= now;
    }

    IngressContext &context_;
    UnackedCopies &copies_;
    Duration longest_pause_;  ///< then a waiting bundle goes to storage
    const config::LinkPlacement placement_;
    /// Storage, then the outducts in order, then links that came later.
    std::vector<OutputQueue> queues_;
    std::unordered_map<LinkId, std::size_t> later_queues_;
    std::vector<std::size_t> touched_;  ///< indices of queues with an open batch
    std::uint64_t next_batch_;
    std::uint64_t endpoints_hold_ = 0;  ///< octets of slabs in batches lent to applications
    /// By carrier: the number of the last batch that was sent to it.
    std::array<std::uint64_t, kMostCarriers> forwarded_{};
    std::uint64_t forwarded_before_ = 0;  ///< the number that the last ForwardBatch replaced
};

}  // namespace farlink::ingress
