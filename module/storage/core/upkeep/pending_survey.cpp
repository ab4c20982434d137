// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/pending_survey.hpp"

#include <algorithm>

namespace farlink::storage {

void PendingSurvey::start() {
    rows_.clear();
    next_ = 0;
    running_ = true;
}

std::optional<PendingSurvey::Result> PendingSurvey::step(DestinationTable &destinations,
                                                         const EntryTable &entries) {
    if (!running_) return std::nullopt;
    // In one piece, which returns to the system as a whole.
    rows_.reserve(destinations.size());
    const std::size_t end = std::min(next_ + kAtOnce, destinations.size());
    for (; next_ < end; ++next_) {
        const auto held = destinations.held(next_, entries);
        if (held.bundles > 0) rows_.push_back(held);
    }
    if (next_ < destinations.size()) return std::nullopt;
    return finish();
}

PendingSurvey::Result PendingSurvey::finish() {
    running_ = false;
    sum_up();
    Result result;
    result.destinations = rows_.size();
    if (rows_.size() > kMostNodes) {
        const auto last = rows_.begin() + static_cast<std::ptrdiff_t>(kMostNodes);
        std::ranges::nth_element(rows_, last, std::ranges::greater{}, &bus::PendingReport::bundles);
        rows_.resize(kMostNodes);
        std::ranges::sort(rows_, {}, &bus::PendingReport::destination);
    }
    result.pending.assign(rows_.begin(), rows_.end());
    rows_ = {};
    return result;
}

/// The endpoints of a node make one row; ascending by node.
void PendingSurvey::sum_up() {
    std::ranges::sort(rows_, {}, &bus::PendingReport::destination);
    std::size_t kept = 0;
    for (const bus::PendingReport &row : rows_) {
        if (kept == 0 || rows_[kept - 1].destination != row.destination) {
            rows_[kept++] = row;
            continue;
        }
        bus::PendingReport &sum = rows_[kept - 1];
        sum.bundles += row.bundles;
        sum.bytes += row.bytes;
        sum.custody_bundles += row.custody_bundles;
        sum.next_expiry = std::min(sum.next_expiry, row.next_expiry);
    }
    rows_.resize(kept);
}

}  // namespace farlink::storage
