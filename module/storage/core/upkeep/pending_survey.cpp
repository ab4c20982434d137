// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/pending_survey.hpp"

#include <algorithm>
#include <utility>

namespace farlink::storage {

void PendingSurvey::start() {
    by_node_.clear();
    next_ = 0;
    running_ = true;
}

std::optional<PendingSurvey::Result> PendingSurvey::step(DestinationTable &destinations,
                                                         const EntryTable &entries) {
    if (!running_) return std::nullopt;
    const std::size_t end = std::min(next_ + kAtOnce, destinations.size());
    for (; next_ < end; ++next_) {
        const auto held = destinations.held(next_, entries);
        if (held.bundles == 0) continue;
        bus::PendingReport &sum = by_node_[held.destination];
        sum.destination = held.destination;
        sum.bundles += held.bundles;
        sum.bytes += held.bytes;
        sum.custody_bundles += held.custody_bundles;
        sum.next_expiry = std::min(sum.next_expiry, held.next_expiry);
    }
    if (next_ < destinations.size()) return std::nullopt;
    return finish();
}

PendingSurvey::Result PendingSurvey::finish() {
    running_ = false;
    Result result;
    result.destinations = by_node_.size();
    result.pending.reserve(by_node_.size());
    for (const auto &[node, sum] : by_node_) result.pending.push_back(sum);
    by_node_ = {};
    if (result.pending.size() > kMostNodes) {
        const auto last = result.pending.begin() + static_cast<std::ptrdiff_t>(kMostNodes);
        std::ranges::nth_element(result.pending, last, std::ranges::greater{},
                                 &bus::PendingReport::bundles);
        result.pending.resize(kMostNodes);
    }
    std::ranges::sort(result.pending, {}, &bus::PendingReport::destination);
    return result;
}

}  // namespace farlink::storage
