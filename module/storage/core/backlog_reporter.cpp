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
        context_.inventory.destinations().waiting(context_.inventory.entries(), waiting_parts());
    if (waiting.empty() && !std::exchange(reported_waiting_, false)) return;
    reported_waiting_ = !waiting.empty();
    context_.send(bus::AgentId::kRouter,
                  bus::BacklogReport{bus::AgentId::kStorage, std::move(waiting), {}});
}

/// The bundles that wait, and of which a part has left: the router books the rest.
std::vector<SentPart> BacklogReporter::waiting_parts() const {
    std::vector<SentPart> parts;
    context_.cut.for_each_sent([&](std::uint64_t bundle, std::uint64_t bytes) {
        const auto index = context_.inventory.entries().find(bundle);
        if (index && context_.inventory.entry(*index).state() == EntryState::kWaiting)
            parts.push_back({*index, bytes});
    });
    return parts;
}

void BacklogReporter::handle_routes() {
    const std::size_t destinations = context_.inventory.destinations().size();
    if (destinations > DestinationTable::kMostReported)
        reported_changes_ = ~context_.inventory.changes();
}

void BacklogReporter::handle_router_back() {
    reported_waiting_ = true;  // so that an empty report is sent, too
    reported_changes_ = ~context_.inventory.changes();
    reported_at_ = {};
}

}  // namespace farlink::storage
