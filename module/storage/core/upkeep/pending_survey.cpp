// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/pending_survey.hpp"

#include <algorithm>
#include <functional>
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
        const auto held = destinations.count_held(next_);
        if (held.bundles == 0) continue;
        Row &row = rows_.emplace_back();
        row.key = held.row;
        row.place = static_cast<std::uint32_t>(next_);
        row.named = held.named ? 1 : 0;
        row.bundles = held.bundles & 0x7fffffffU;
    }
    if (next_ < destinations.size()) return std::nullopt;
    return finish(destinations, entries);
}

PendingSurvey::Result PendingSurvey::finish(DestinationTable &destinations,
                                            const EntryTable &entries) {
    running_ = false;
    Result result;
    for (const Group &group : find_fullest(result.destinations))
        if (auto sum = sum_of(group, destinations, entries); sum.bundles > 0)
            result.pending.push_back(std::move(sum));
    std::ranges::sort(result.pending, {}, kPlace);
    rows_ = std::vector<Row>();
    return result;
}

/// The endpoints of a node make one group; those with most bundles are kept.
std::vector<PendingSurvey::Group> PendingSurvey::find_fullest(std::uint64_t &nodes) {
    const auto key_of = [](const Row &row) { return std::pair(row.named != 0, row.key); };
    std::ranges::sort(rows_, {}, key_of);
    std::vector<Group> fullest;  // a heap, the one with the fewest first
    nodes = 0;
    for (std::size_t first = 0; first < rows_.size(); ++nodes) {
        Group group{.first = first};
        for (; first < rows_.size() && key_of(rows_[first]) == key_of(rows_[group.first]); ++first)
            group.bundles += rows_[first].bundles;
        group.count = first - group.first;
        const bool full = fullest.size() >= kMostNodes;
        if (full && group.bundles <= fullest.front().bundles) continue;
        if (full) std::ranges::pop_heap(fullest, std::ranges::greater{}, &Group::bundles);
        if (full) fullest.pop_back();
        fullest.push_back(group);
        std::ranges::push_heap(fullest, std::ranges::greater{}, &Group::bundles);
    }
    return fullest;
}

/// A place may have gone to another endpoint since it was counted.
bus::PendingReport PendingSurvey::sum_of(const Group &group, DestinationTable &destinations,
                                         const EntryTable &entries) const {
    bus::PendingReport sum;
    for (std::size_t at = group.first; at < group.first + group.count; ++at) {
        const Row &row = rows_[at];
        const auto now = destinations.count_held(row.place);
        if (now.bundles == 0 || now.row != row.key || now.named != (row.named != 0)) continue;
        bus::PendingReport held = destinations.held(row.place, entries);
        sum.destination = held.destination;
        sum.name = std::move(held.name);
        sum.bundles += held.bundles;
        sum.bytes += held.bytes;
        sum.custody_bundles += held.custody_bundles;
        sum.next_expiry = std::min(sum.next_expiry, held.next_expiry);
    }
    return sum;
}

}  // namespace farlink::storage
