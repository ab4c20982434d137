// SPDX-License-Identifier: Apache-2.0
// Sets the outcomes of bundles and gives their batches back to the owners: complete, or in part as
// soon as bundles are known not to leave.
// Owned by EgressCore; one thread.
#pragma once

#include <cstdint>

#include "common/bp/status_reports.hpp"
#include "module/egress/core/egress_context.hpp"
#include "module/egress/core/link_table.hpp"

namespace farlink::egress {

class BatchReturns {
public:
    BatchReturns(EgressContext &context, LinkTable &links) : context_(context), links_(links) {}

    /// Counts and records the outcome, and reports it for bundles of storage.
    void set_outcome(Batch &batch, BatchedBundle &bundle, Outcome outcome);
    /// Of a bundle whose fragments are all done with.
    void set_cut_outcome(ServedBatch &served, std::uint64_t place);
    /// Asks ingress for a status report, if the bundle is storage's and requests one.
    void report(const Batch &batch, const BatchedBundle &bundle, bus::ReportEvent event,
                bp::ReportReason reason);

    /// All bundles of the batch have left.
    void record_sent(const EgressLink &link, const ServedBatch &served);
    /// Of a bundle that leaves in pieces: with the last one its head is reported.
    void report_head(ByteView head, std::uint64_t payload_length, bus::ReportEvent event,
                     bp::ReportReason reason);

    /// Gives back the batches, oldest first, whose bundles all have their outcome.
    void retire(EgressLink &link);
    /// After the youngest batch was rendered, or a bundle of it refused: returns the bundles that
    /// do not leave early, as the acknowledgements of the others may take many minutes.
    void finish_rendering(EgressLink &link);
    /// No more fragments leave of the bundle that is being cut. It has its outcome when the link
    /// has done with those that it was given.
    void abandon_cut(EgressLink &link, Outcome failure);
    /// The same; what the link was given is a part of the bundle, and the owner keeps the rest.
    void end_cut_early(EgressLink &link);
    /// No more pieces leave of the bundle that leaves in pieces.
    void end_pieces(EgressLink &link);
    /// The connection is gone: gives everything back.
    void return_unsent(EgressLink &link);
    /// Returns the bundles that are not on the link yet.
    void return_queue(EgressLink &link);
    /// A batch that cannot leave; `link`: the one that it was queued for, or null.
    void return_whole(EgressLink *link, BatchPtr batch);

private:
    void end(const Batch &batch, const BatchedBundle &bundle, history::Ending ending,
             bp::ReportReason reason);
    void record(const Batch &batch, const BatchedBundle &bundle, history::Ending ending,
                bp::ReportReason reason);
    void set_unsent(ServedBatch &served, std::uint64_t place);
    void give_back(EgressLink *link, ServedBatch served);
    void send_back(EgressLink *link, BatchPtr batch, std::uint64_t bundles, std::uint64_t bytes);

    EgressContext &context_;
    LinkTable &links_;
};

}  // namespace farlink::egress
