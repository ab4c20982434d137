// SPDX-License-Identifier: Apache-2.0
// What waits for one link: the highest priority first, and within it what is cut through and what
// storage releases, served by deficit round robin in bytes.
// Owned by EgressCore; one thread. The unit of service is a batch, whose bundles have one priority,
// so that they leave in one run and their outcomes come back together.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/base/invariant.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::egress {

/// What waits with one priority. Of two sides that both have something to send, each gets its share
/// of the bytes; a batch is served as soon as its side is not in debt, and its size is the debt.
class FairQueue {
public:
    /// Bytes a side gets in a turn, by BatchOwner.
    using Quanta = std::array<std::int64_t, 2>;

    void push(BatchPtr batch) {
        bytes_ += batch->bytes_to_send();
        queues_[index_of(*batch)].push_back(std::move(batch));
    }

    /// The next batch to serve; the queue is not empty.
    [[nodiscard]] BatchPtr pop(const Quanta &quanta) {
        BatchPtr batch = take(older_cut_through_waits() ? kIngress : whose_turn(quanta));
        // Shares count while bundles wait; an empty queue has no debts.
        if (empty()) balance_ = {};
        bytes_ -= batch->bytes_to_send();
        return batch;
    }
    [[nodiscard]] bool empty() const { return queues_[0].empty() && queues_[1].empty(); }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    static constexpr std::size_t kIngress = static_cast<std::size_t>(BatchOwner::kIngress);
    static constexpr std::size_t kStorage = static_cast<std::size_t>(BatchOwner::kStorage);

    static std::size_t index_of(const Batch &batch) {
        return static_cast<std::size_t>(batch.owner);
    }
    [[nodiscard]] std::size_t whose_turn(const Quanta &quanta) {
        while (queues_[turn_].empty() || balance_[turn_] <= 0) {
            // A side without bundles saves up no share.
            if (queues_[turn_].empty())
                balance_[turn_] = std::min<std::int64_t>(balance_[turn_], 0);
            turn_ = 1 - turn_;
            balance_[turn_] += quanta[turn_];
        }
        return turn_;
    }
    BatchPtr take(std::size_t from) {
        BatchPtr batch = queues_[from].pop_front();
        balance_[from] -= static_cast<std::int64_t>(batch->bytes_to_send());
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
    std::array<std::int64_t, 2> balance_{};
    std::size_t turn_ = 0;
    std::uint64_t bytes_ = 0;
};

class OutQueue {
public:
    /// How much of the link storage gets while bundles of the same priority are cut through, 1 to
    /// 99 percent.
    void set_stored_share(std::uint32_t percent) {
        FARLINK_INVARIANT(percent > 0 && percent < 100);
        constexpr std::int64_t kLapBytes = 2 * kBatchBytes;
        const std::int64_t stored = kLapBytes * percent / 100;
        quanta_ = {kLapBytes - stored, stored};
    }
    /// All bundles of a batch have the priority of its first one.
    void push(BatchPtr batch) {
        by_priority_[static_cast<std::size_t>(batch->bundles.front().priority)].push(
            std::move(batch));
    }
    /// The next batch to serve; empty when nothing waits.
    [[nodiscard]] BatchPtr pop() {
        for (std::size_t priority = kPriorityCount; priority-- > 0;) {
            if (by_priority_[priority].empty()) continue;
            return by_priority_[priority].pop(quanta_);
        }
        return nullptr;
    }
    [[nodiscard]] bool empty() const {
        return std::ranges::all_of(by_priority_, &FairQueue::empty);
    }
    [[nodiscard]] std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const FairQueue &queue : by_priority_) sum += queue.bytes();
        return sum;
    }
    [[nodiscard]] std::uint64_t bytes(Priority priority) const {
        return by_priority_[static_cast<std::size_t>(priority)].bytes();
    }

private:
    std::array<FairQueue, kPriorityCount> by_priority_;
    FairQueue::Quanta quanta_{kBatchBytes, kBatchBytes};
};

}  // namespace farlink::egress
