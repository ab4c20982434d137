// SPDX-License-Identifier: Apache-2.0
// Reports the backlog in storage to the router, for its booking of contacts.
// Owned by StorageCore; one thread. A report may be a tenth of a second old. Nothing is reported
// while nothing waits. Of very many destinations, those with a route of the plan are reported.
#pragma once

#include <vector>

#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

class BacklogReporter {
public:
    explicit BacklogReporter(StorageContext &context) : context_(context) {}

    /// Sends a report if one is due.
    void handle_timeout(TimePoint now);
    /// The router has other routes: where the last report was not complete, the next one differs.
    void handle_routes();
    /// The router has restarted: the next report is due now.
    void handle_router_back();
    [[nodiscard]] TimePoint next_timeout() const;
    /// The node stops: no further reports.
    void drain() { draining_ = true; }

private:
    [[nodiscard]] std::vector<SentPart> waiting_parts() const;

    StorageContext &context_;
    std::uint64_t reported_changes_ = 0;  ///< Inventory::changes() of the last report
    TimePoint reported_at_{};
    bool reported_waiting_ = false;  ///< the router may have a report of waiting bundles
    bool draining_ = false;
};

}  // namespace farlink::storage
