// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/backlog_reporter.hpp"

#include <utility>

namespace farlink::storage {

TimePoint BacklogReporter::next_timeout() const {
    constexpr Duration kReportPause = milliseconds(100);
    const bool changed = context_.inventory.changes() != reported_changes_;
    return changed && !draining_ ? reported_at_ + kReportPause : kNever;
}

void BacklogReporter::handle_timeout(TimePoint now) {
    if (next_timeout() > now) return;
    reported_at_ = now;
    reported_changes_ = context_.inventory.changes();
    std::vector<bus::WaitingBytes> waiting =
        context_.inventory.destinations().waiting(context_.inventory.entries());
    if (waiting.empty() && !std::exchange(reported_waiting_, false)) return;
    reported_waiting_ = !waiting.empty();
    context_.send(bus::AgentId::kRouter,
                  bus::BacklogReport{bus::AgentId::kStorage, std::move(waiting), {}});
}

void BacklogReporter::handle_router_back() {
    reported_waiting_ = true;  // so that an empty report is sent, too
    reported_changes_ = ~context_.inventory.changes();
    reported_at_ = {};
}

}  // namespace farlink::storage
