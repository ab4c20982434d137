// SPDX-License-Identifier: Apache-2.0
// The clock by which stored bundles expire: whether it is trusted, and how often it has stepped.
// Owned by StorageCore; one thread.
// The ClockGuard itself is shared with the other parts of the core.
#pragma once

#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

class StoreClock {
public:
    explicit StoreClock(StorageContext &context) : context_(context) {}

    /// Before judge_start(): the clock shows an implausible time. No bundle expires,
    /// in any module, until it is confirmed.
    void doubt() { doubted_ = true; }
    /// The store is open; `newest` is the newest time of reception in it, or 0.
    void judge_start(DtnTime newest);
    /// A reading of the wall clock; first when the store is open.
    void handle_reading(WallClock reading);
    /// The operator confirms that the clock is right.
    void confirm();

    [[nodiscard]] ClockState state() const { return context_.clock.state(); }
    /// What other modules judge their clocks by: `newest`, or the end of time while the clock is in
    /// doubt, so that they doubt it as well.
    [[nodiscard]] DtnTime newest_seen(DtnTime newest) const {
        return doubted_ ? kDtnNever : newest;
    }

private:
    void count_suspension();

    StorageContext &context_;
    bool doubted_ = false;
};

}  // namespace farlink::storage
