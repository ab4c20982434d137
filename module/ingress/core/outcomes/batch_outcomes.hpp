// SPDX-License-Identifier: Apache-2.0
// Takes batches back from egress and storage, with their outcomes: bundles that are safe or deleted
// end here, the others go to storage, or are held if storage has refused them.
// Owned by IngressCore; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/telemetry/latency_histogram.hpp"
#include "module/ingress/core/outcomes/bundle_outcomes.hpp"
#include "module/ingress/core/queues/copy_maker.hpp"
#include "module/ingress/core/spool/spooler.hpp"

namespace farlink::ingress {

class BatchOutcomes {
public:
    /// The parts of ingress that outcomes change.
    struct Parts {
        NextHopQueues &queues;
        UnackedCopies &copies;
        CopyMaker &copy_maker;
        HeldBatches &held;
        RepeatsAfterLoss &repeats;
        BundleOutcomes &bundles;
        Spooler &spooler;
    };
    BatchOutcomes(IngressContext &context, const Parts &parts) : context_(context), parts_(parts) {}

    /// A batch is back, or a part of one with the outcomes that are known so far.
    void handle(BatchPtr batch, TimePoint now);

    /// From a bundle's arrival until its batch has come back as sent, one value a batch.
    [[nodiscard]] const telemetry::LatencyHistogram &residence() const { return residence_; }

private:
    void take_batch(BatchPtr batch, TimePoint now);
    void take_original(BatchPtr batch, TimePoint now);
    void set_all_sent(BatchPtr batch, const std::optional<WatchedBatch> &watched, TimePoint now);
    /// `stored`: which bundles storage has a copy of; empty: none.
    void set_each_outcome(BatchPtr batch, std::span<const std::uint8_t> stored, TimePoint now);
    void take_part(BatchPtr part, TimePoint now);
    void set_part_outcomes(const Batch &part, const WatchedBatch *watched, TimePoint now);
    void take_copy(BatchPtr copy, TimePoint now);
    [[nodiscard]] bool set_copied_outcome(const Batch &batch, const BatchedBundle &bundle,
                                          Outcome outcome, TimePoint now);

    IngressContext &context_;
    const Parts parts_;
    telemetry::LatencyHistogram residence_;
};

}  // namespace farlink::ingress
