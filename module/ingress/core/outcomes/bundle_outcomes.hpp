// SPDX-License-Identifier: Apache-2.0
// What follows from the outcome of one bundle that was lent: it is counted, reported and
// acknowledged, or stays with ingress.
// Owned by IngressCore; one thread.
#pragma once

#include "common/bp/status_reports.hpp"
#include "module/ingress/core/local/local_deliveries.hpp"
#include "module/ingress/core/outcomes/repeats_after_loss.hpp"
#include "module/ingress/core/queues/held_batches.hpp"

namespace farlink::ingress {

class BundleOutcomes {
public:
    BundleOutcomes(IngressContext &context, HeldBatches &held, LocalDeliveries &local,
                   RepeatsAfterLoss &repeats)
        : context_(context), held_(held), local_(local), repeats_(repeats) {}

    /// True when the bundle ends here; false when ingress still owns it. `waiting` is the session
    /// that has no acknowledgement for it yet.
    [[nodiscard]] bool set_outcome(const Batch &batch, const BatchedBundle &bundle, Outcome outcome,
                                   UpstreamId waiting, TimePoint now);
    /// Acknowledges the bundle to its session, if that waits, and to those that repeated it.
    void acknowledge(UpstreamId waiting, const BatchedBundle &bundle,
                     TransferDisposition disposition, TimePoint now) {
        if (waiting != kNoUpstream)
            context_.upstreams.acknowledge(waiting, bundle.transfer, 1, disposition, now);
        repeats_.handle_released(bundle, disposition, now);
    }
    void report_forwarded(const Batch &batch, const BatchedBundle &bundle, TimePoint now);
    /// The node stops, and storage has refused this batch: if its sender still has the bundles,
    /// they are refused. The room on disk is for bundles that no other node has. False: they stay
    /// with ingress.
    [[nodiscard]] bool leave_to_sender(const Batch &batch, TimePoint now);

private:
    void report_deleted(const Batch &batch, const BatchedBundle &bundle, bp::ReportReason reason,
                        TimePoint now);
    [[nodiscard]] bool drop_ended(const Batch &batch, const BatchedBundle &bundle,
                                  bp::ReportReason reason, UpstreamId waiting, TimePoint now);
    [[nodiscard]] bool refuse_fragment(const Batch &batch, const BatchedBundle &bundle,
                                       IngressCounter why, bp::ReportReason reason,
                                       TransferDisposition disposition, TimePoint now);
    [[nodiscard]] bool leave_to_custodian(const Batch &batch, const BatchedBundle &bundle,
                                          UpstreamId waiting, TimePoint now);
    [[nodiscard]] bool refuse_without_space(const Batch &batch, const BatchedBundle &bundle,
                                            TimePoint now);
    [[nodiscard]] bool refuse_upstream(const Batch &batch, const BatchedBundle &bundle,
                                       TimePoint now);
    void refuse(const Batch &batch, const BatchedBundle &bundle, TimePoint now);
    void forget_pass(const Batch &batch, const BatchedBundle &bundle);
    [[nodiscard]] bool may_be_stored(const Batch &batch, const BatchedBundle &bundle) const;

    IngressContext &context_;
    HeldBatches &held_;
    LocalDeliveries &local_;
    RepeatsAfterLoss &repeats_;
};

}  // namespace farlink::ingress
