// SPDX-License-Identifier: Apache-2.0
// The bundles for one endpoint that are with this module: which one is given next, which ones a
// receiver has, and what became of each.
// Owned by an Endpoint; one thread.
// A batch goes back to its owner when each of its bundles has an outcome.
//
//   waiting ──take()──► leased ──decide()──► has its outcome
//      ▲                  │
//      └───give_back()────┘   the receiver went away before it had accepted
#pragma once

#include <cstdint>
#include <list>
#include <optional>

#include "common/buffer/batch.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::applications {

class DeliveryQueue {
    struct Lent {
        BatchPtr batch;
        std::size_t next = 0;  ///< the first bundle that was never given
    };
    using Place = std::list<Lent>::iterator;

public:
    /// A bundle that a receiver has; valid until it is decided or given back.
    struct Lease {
        Place from{};
        std::size_t place = 0;
        bool given_before = false;  ///< a receiver had it and went away; set by its user

        [[nodiscard]] const Batch &batch() const { return *from->batch; }
        [[nodiscard]] const BatchedBundle &bundle() const { return from->batch->bundles[place]; }
        [[nodiscard]] std::span<const ByteView> slices() const {
            return from->batch->slices_of(bundle());
        }
    };

    void push(BatchPtr batch);
    /// The next bundle: those given back first, then in the order in which they came.
    [[nodiscard]] std::optional<Lease> take();
    void give_back(Lease lease);
    void decide(const Lease &lease, Outcome outcome);
    /// Nobody receives: all that waits has not been sent. Leases stay.
    void return_waiting();
    /// The next batch whose bundles all have an outcome.
    [[nodiscard]] BatchPtr poll_finished();

    /// Bundles without an outcome that no receiver has.
    [[nodiscard]] std::uint64_t waiting() const { return bundles_ - leased_; }
    [[nodiscard]] std::uint64_t leased() const { return leased_; }
    [[nodiscard]] std::uint64_t bundles() const { return bundles_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    void set_outcome(Place from, std::size_t place, Outcome outcome);

    std::list<Lent> lent_;
    std::list<Lent> spare_;  ///< places without a batch, so that a steady flow allocates none
    Ring<Lease> returned_;
    Ring<Place> fresh_;  ///< those with bundles that were never given
    Ring<BatchPtr> finished_;
    std::uint64_t bundles_ = 0;  ///< without an outcome
    std::uint64_t bytes_ = 0;
    std::uint64_t leased_ = 0;
};

}  // namespace farlink::applications
