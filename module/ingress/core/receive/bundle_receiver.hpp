// SPDX-License-Identifier: Apache-2.0
// Parses and checks every bundle that arrives or that this node makes, and passes it on: to a
// service of this node or to the dispatcher.
// Owned by IngressCore; one thread.
#pragma once

#include <optional>
#include <vector>

#include "common/bp/status_reports.hpp"
#include "common/buffer/received_bundles.hpp"
#include "module/ingress/core/local/local_deliveries.hpp"
#include "module/ingress/core/outcomes/repeats_after_loss.hpp"
#include "module/ingress/core/receive/borrowed_slabs.hpp"
#include "module/ingress/core/receive/deviation_check.hpp"
#include "module/ingress/core/receive/dispatcher.hpp"
#include "module/ingress/core/receive/security_guard.hpp"
#include "module/ingress/core/spool/spooler.hpp"

namespace farlink::ingress {

class BundleReceiver {
public:
    BundleReceiver(IngressContext &context, Dispatcher &dispatcher, LocalDeliveries &local,
                   RepeatsAfterLoss &repeats, Spooler &spooler)
        : context_(context),
          dispatcher_(dispatcher),
          local_(local),
          repeats_(repeats),
          spooler_(spooler),
          guard_(context, local) {}

    /// Bundles that a link of ingress has received.
    void receive(UpstreamId from, const ReceivedBundles &received, TimePoint now);
    /// Bundles that a link of egress has received; they lie in memory of egress.
    void receive(BatchPtr lent, TimePoint now);
    /// Bundles that the services of this node have made.
    void receive_originated(TimePoint now);
    /// Delivers bundles for services of this node that storage has joined.
    void deliver_released(const Batch &batch, TimePoint now);
    /// Gives egress back the batches that no bundle refers to any more.
    void return_borrowed();

    /// The rules of BPSec from the next bundle on; null: none.
    void set_gate(std::unique_ptr<security::BundleGate> gate) { guard_.set_gate(std::move(gate)); }

    [[nodiscard]] std::optional<DeviationRun> poll_deviation() { return deviations_.poll(); }

private:
    /// Where a bundle ends, if it ends at this node.
    struct Here {
        bool application = false;
        bool node = false;  ///< a service or an application
    };
    void accept(const Arrival &arrival, TimePoint now);
    void accept_guarded(const bp::BundleView &view, const Arrival &arrival, Here here,
                        TimePoint now);
    void pass_on(const bp::BundleView &view, const Arrival &arrival, Here here, TimePoint now);
    void accept_piece(SpoolChannel in, const Arrival &piece, bool more, bool is_further,
                      TimePoint now);
    void begin_spool(SpoolChannel in, const Arrival &first, TimePoint now);
    [[nodiscard]] std::optional<TransferDisposition> ending_of(const bp::BundleView &view,
                                                               const Arrival &first, TimePoint now);
    void accept_joined(const Arrival &arrival, TimePoint now);
    void deliver(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    void add_age_block(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    void process_trailing_blocks(const Arrival &arrival, TimePoint now);
    void reject(bp::ParseError why, const Arrival &arrival, TimePoint now);
    void reject_while_draining(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    void report_malformed(ByteView octets, bp::ParseError error, TimePoint now);
    void report_deleted(const bp::BundleView &view, const Arrival &arrival, bp::ReportReason reason,
                        TimePoint now);
    [[nodiscard]] bool discard_unforwardable(const bp::BundleView &view, const Arrival &arrival,
                                             TimePoint now);
    [[nodiscard]] bool is_for_this_node(const bp::BundleView &view) const;
    [[nodiscard]] bool leads_nowhere(const bp::BundleView &view, const Arrival &arrival) const;
    [[nodiscard]] SlabRef join(const Arrival &arrival, TimePoint now, ByteView inserted = {},
                               std::size_t at = 0);

    IngressContext &context_;
    Dispatcher &dispatcher_;
    LocalDeliveries &local_;
    RepeatsAfterLoss &repeats_;
    Spooler &spooler_;
    DeviationCheck deviations_;
    BorrowedSlabs borrowed_;
    SecurityGuard guard_;
};

}  // namespace farlink::ingress
