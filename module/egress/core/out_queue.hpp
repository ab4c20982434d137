// SPDX-License-Identifier: Apache-2.0
// What waits for one link: batches by upstream, served by deficit round robin in bytes.
// Owned by EgressCore; one thread.
// The unit of service is a batch, so that a batch's bundles leave in one run and its outcomes come
// back together.
#pragma once

#include <array>
#include <cstdint>

#include "common/buffer/batch.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::egress {

class OutQueue {
public:
    void push(BatchPtr batch) {
        bytes_ += batch->bytes;
        queues_[index_of(*batch)].push_back(std::move(batch));
    }

    /// The next batch to serve; empty when nothing waits.
    [[nodiscard]] BatchPtr pop() {
        if (empty()) return nullptr;
        if (older_cut_through_waits()) return take(kIngress);
        for (;;) {
            if (!queues_[turn_].empty() && deficit_[turn_] > 0) return take(turn_);
            // An upstream that has nothing to send saves up nothing.
            if (queues_[turn_].empty()) deficit_[turn_] = 0;
            turn_ = (turn_ + 1) % queues_.size();
            deficit_[turn_] += kQuantumBytes;
        }
    }

    [[nodiscard]] bool empty() const { return queues_[0].empty() && queues_[1].empty(); }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    static constexpr std::int64_t kQuantumBytes = kBatchBytes;
    static constexpr std::size_t kIngress = static_cast<std::size_t>(BatchOwner::kIngress);
    static constexpr std::size_t kStorage = static_cast<std::size_t>(BatchOwner::kStorage);

    static std::size_t index_of(const Batch &batch) {
        return static_cast<std::size_t>(batch.owner);
    }
    BatchPtr take(std::size_t from) {
        BatchPtr batch = queues_[from].pop_front();
        deficit_[from] -= static_cast<std::int64_t>(batch->bytes);
        bytes_ -= batch->bytes;
        return batch;
    }
    // A flow that began to spill has its older bundles here and the younger ones in storage: those
    // must not overtake. What arrived before is finite, so the released batch does not starve.
    [[nodiscard]] bool older_cut_through_waits() const {
        if (queues_[kIngress].empty() || queues_[kStorage].empty()) return false;
        return queues_[kIngress].front()->bundles.front().arrival <
               queues_[kStorage].front()->bundles.front().arrival;
    }

    std::array<Ring<BatchPtr>, 2> queues_;  ///< by BatchOwner
    std::array<std::int64_t, 2> deficit_{};
    std::size_t turn_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace farlink::egress
