// SPDX-License-Identifier: Apache-2.0
// Bundles that storage has refused: they stay in memory and are offered again after a pause.
// Owned by IngressCore.
// One thread.
#pragma once

#include "common/buffer/ring.hpp"
#include "module/ingress/core/queues/next_hop_queues.hpp"

namespace farlink::ingress {

class HeldBatches {
public:
    HeldBatches(IngressContext &context, NextHopQueues &queues)
        : context_(context), queues_(queues) {}

    /// Storage could not keep these bundles. No bundle is dropped for lack of space: sessions that
    /// add to them are paused by the storage queue.
    void hold(BatchPtr batch, TimePoint now);
    /// Storage gets nothing for a while, longer each time.
    void pause_storage(TimePoint now);
    /// Storage has kept a bundle: the next pause is short.
    void handle_stored();
    /// The node stops: all pauses are short from now on.
    void begin_drain(TimePoint now);
    [[nodiscard]] bool draining() const { return draining_; }

    /// The pause is over, and storage has answered for all it was sent.
    [[nodiscard]] bool due(TimePoint now) const;
    /// Calls `offer` with each held batch, oldest first; they are held no longer.
    template <class Offer>
    void offer_again(Offer &&offer) {
        sort_by_arrival(held_);
        for (std::size_t left = held_.size(); left > 0; --left) {
            BatchPtr batch = take();
            offer(*batch);
            context_.batches.recycle(std::move(batch));
        }
    }
    /// Storage gets batches again, oldest first.
    void resume_storage(TimePoint now);

private:
    static void sort_by_arrival(Ring<BatchPtr> &batches);
    [[nodiscard]] BatchPtr take();

    IngressContext &context_;
    NextHopQueues &queues_;
    Ring<BatchPtr> held_;
    Duration retry_{};  ///< the current pause
    bool draining_ = false;
};

}  // namespace farlink::ingress
