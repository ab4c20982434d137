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
        if (bytes_ == 0 && empty()) return nullptr;
        for (;;) {
            Ring<BatchPtr> &queue = queues_[turn_];
            if (!queue.empty() && deficit_[turn_] > 0) {
                BatchPtr batch = queue.pop_front();
                deficit_[turn_] -= static_cast<std::int64_t>(batch->bytes);
                bytes_ -= batch->bytes;
                return batch;
            }
            // An upstream that has nothing to send saves up nothing.
            if (queue.empty()) deficit_[turn_] = 0;
            turn_ = (turn_ + 1) % queues_.size();
            deficit_[turn_] += kQuantumBytes;
        }
    }

    [[nodiscard]] bool empty() const { return queues_[0].empty() && queues_[1].empty(); }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    static constexpr std::int64_t kQuantumBytes = kBatchBytes;
    static std::size_t index_of(const Batch &batch) {
        return static_cast<std::size_t>(batch.owner);
    }

    std::array<Ring<BatchPtr>, 2> queues_;  ///< by BatchOwner
    std::array<std::int64_t, 2> deficit_{};
    std::size_t turn_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace farlink::egress
