// SPDX-License-Identifier: Apache-2.0
#include "module/router/core/table_difference.hpp"

#include <algorithm>

namespace farlink::router {
namespace {

std::vector<bus::RouteCandidate> candidates_of(const TableRow *row) {
    std::vector<bus::RouteCandidate> candidates;
    if (row == nullptr) return candidates;
    for (const TableCandidate &entry : row->candidates) candidates.push_back(entry.candidate);
    return candidates;
}

/// Ids of contacts are not compared: a rewritten plan may have other ids.
bool same_way(const bus::RouteCandidate &one, const bus::RouteCandidate &other) {
    return one.link == other.link && one.next_hop == other.next_hop;
}

}  // namespace

std::vector<bus::RouteDifference> difference(const RouteTable &before, const RouteTable &after) {
    std::vector<bus::RouteDifference> differences;
    auto old_row = before.rows.begin();
    auto new_row = after.rows.begin();
    while (old_row != before.rows.end() || new_row != after.rows.end()) {
        const bool only_old =
            new_row == after.rows.end() ||
            (old_row != before.rows.end() && old_row->destination < new_row->destination);
        const bool only_new = !only_old && (old_row == before.rows.end() ||
                                            new_row->destination < old_row->destination);
        const TableRow *from = only_new ? nullptr : &*old_row++;
        const TableRow *to = only_old ? nullptr : &*new_row++;
        bus::RouteDifference row{(from != nullptr ? from : to)->destination, candidates_of(from),
                                 candidates_of(to)};
        if (!std::ranges::equal(row.before, row.after, same_way))
            differences.push_back(std::move(row));
    }
    return differences;
}

}  // namespace farlink::router
