// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/pending_survey.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace farlink::storage {
namespace {

/// By node; those without a number by name.
constexpr auto kPlace = [](const bus::PendingReport &row) {
    return std::tie(row.destination, row.name);
};

}  // namespace

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
        auto held = destinations.held(next_, entries);
        if (held.bundles > 0) rows_.push_back(std::move(held));
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
        std::ranges::sort(rows_, {}, kPlace);
    }
    result.pending.assign(std::move_iterator(rows_.begin()), std::move_iterator(rows_.end()));
    rows_ = {};
    return result;
}

/// The endpoints of a node make one row; ascending by node and name.
void PendingSurvey::sum_up() {
    std::ranges::sort(rows_, {}, kPlace);
    std::size_t kept = 0;
    for (std::size_t at = 0; at < rows_.size(); ++at) {
        bus::PendingReport &row = rows_[at];
        if (kept == 0 || kPlace(rows_[kept - 1]) != kPlace(row)) {
            if (kept != at) rows_[kept] = std::move(row);
            ++kept;
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
