// SPDX-License-Identifier: Apache-2.0
// Keeps what storage releases behind what ingress had sent before storage got it.
// Owned by the core of a carrier: egress, or applications; one thread.
// Ingress and storage send to a carrier independently. A flow that begins to spill has its older
// bundles with the one and its younger ones with the other, so each released batch names the last
// batch of every ingress that it is behind, and waits here until that one is here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/base/time.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::bus {

class ReleaseGate {
public:
    /// A batch of ingress is here.
    void handle_forwarded(const Batch &batch) {
        seen_[batch.instance] = batch.number;
        steps_ = 0;
    }
    /// That instance of ingress is lost: its batches in flight never arrive.
    void handle_lost(std::size_t instance) { seen_[instance] = kAll; }
    void handle_back(std::size_t instance) { seen_[instance] = 0; }

    void push(BatchPtr released, TimePoint now) {
        if (waiting_.empty()) begin_wait(now);
        waiting_.push_back(std::move(released));
    }
    /// The next one that may go on; their order stays.
    [[nodiscard]] BatchPtr poll(TimePoint now) {
        if (waiting_.empty()) return nullptr;
        if (!has_come(*waiting_.front())) {
            if (now < next_step_) return nullptr;
            next_step_ = now + kStep;
            if (++steps_ < kMostSteps) return nullptr;
            give_up(*waiting_.front());
        }
        begin_wait(now);
        return take();
    }
    /// The next one, in any case.
    [[nodiscard]] BatchPtr take() { return waiting_.empty() ? nullptr : waiting_.pop_front(); }
    [[nodiscard]] TimePoint next_timeout() const { return waiting_.empty() ? kNever : next_step_; }

private:
    /// A batch in front may never come: its process has ended, and storage did not have that event
    /// yet. After a second without a batch of ingress, the released one leaves, whatever the order.
    /// The second is counted in steps, so that a pause of the carrier itself is only one of them.
    static constexpr Duration kStep = milliseconds(100);
    static constexpr int kMostSteps = 10;
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};

    void begin_wait(TimePoint now) {
        next_step_ = now + kStep;
        steps_ = 0;
    }
    [[nodiscard]] bool has_come(const Batch &released) const {
        for (std::size_t instance = 0; instance < kMostInstances; ++instance)
            if (seen_[instance] < released.behind[instance]) return false;
        return true;
    }
    /// The next ones do not wait for the same again.
    void give_up(const Batch &released) {
        for (std::size_t instance = 0; instance < kMostInstances; ++instance)
            seen_[instance] = std::max(seen_[instance], released.behind[instance]);
    }

    Ring<BatchPtr> waiting_;
    TimePoint next_step_{};
    int steps_ = 0;
    std::array<std::uint64_t, kMostInstances> seen_{};  ///< the last number, by ingress
};

}  // namespace farlink::bus
