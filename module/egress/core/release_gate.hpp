// SPDX-License-Identifier: Apache-2.0
// Keeps what storage releases behind what ingress had sent before storage got it.
// Owned by EgressCore; one thread.
// Ingress and storage reach egress by ways of their own. A flow that begins to spill has its older
// bundles on the one and its younger ones on the other, so each released batch names the last batch
// of every ingress that it is behind, and waits here until egress has seen that one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/base/time.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::egress {

class ReleaseGate {
public:
    /// A batch of ingress is here.
    void handle_forwarded(const Batch &batch) { seen_[batch.instance] = batch.number; }
    /// That instance of ingress is gone, and what it had under way never comes.
    void handle_lost(std::size_t instance) { seen_[instance] = kAll; }
    void handle_back(std::size_t instance) { seen_[instance] = 0; }

    void push(BatchPtr released, TimePoint now) { waiting_.push_back({std::move(released), now}); }
    /// The next one that may go on; their order stays.
    [[nodiscard]] BatchPtr poll(TimePoint now) {
        if (waiting_.empty()) return nullptr;
        const Waiting &first = waiting_.front();
        for (std::size_t instance = 0; instance < kMostInstances; ++instance) {
            if (seen_[instance] >= first.batch->behind[instance]) continue;
            if (now < first.since + kPatience) return nullptr;
            seen_[instance] = first.batch->behind[instance];  // the next ones do not wait again
        }
        return take();
    }
    /// The next one, in any case.
    [[nodiscard]] BatchPtr take() {
        return waiting_.empty() ? nullptr : waiting_.pop_front().batch;
    }
    [[nodiscard]] TimePoint next_timeout() const {
        return waiting_.empty() ? kNever : waiting_.front().since + kPatience;
    }

private:
    /// What is under way comes in far less, however much it is. It does not come at all when it was
    /// for a process that has died and storage had not heard of that: order is worth less than
    /// going on.
    static constexpr Duration kPatience = seconds(1);
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};

    struct Waiting {
        BatchPtr batch;
        TimePoint since{};
    };
    Ring<Waiting> waiting_;
    std::array<std::uint64_t, kMostInstances> seen_{};  ///< the last number, by ingress
};

}  // namespace farlink::egress
