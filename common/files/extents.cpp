// SPDX-License-Identifier: Apache-2.0
#include "common/files/extents.hpp"

#include <algorithm>
#include <iterator>

namespace farlink::files {

std::uint64_t Extents::add(Extent extent) {
    if (extent.begin >= extent.end) return 0;
    const std::uint64_t before = octets_;
    auto at = ends_.upper_bound(extent.begin);
    if (at != ends_.begin() && std::prev(at)->second >= extent.begin) --at;
    while (at != ends_.end() && at->first <= extent.end) {
        extent.begin = std::min(extent.begin, at->first);
        extent.end = std::max(extent.end, at->second);
        octets_ -= at->second - at->first;
        at = ends_.erase(at);
    }
    ends_.emplace_hint(at, extent.begin, extent.end);
    octets_ += extent.size();
    return octets_ - before;
}

std::vector<Extent> Extents::missing(Extent extent) const {
    std::vector<Extent> gaps;
    auto at = ends_.upper_bound(extent.begin);
    if (at != ends_.begin()) extent.begin = std::max(extent.begin, std::prev(at)->second);
    for (; at != ends_.end() && at->first < extent.end; ++at) {
        if (at->first > extent.begin) gaps.push_back({extent.begin, at->first});
        extent.begin = at->second;
    }
    if (extent.begin < extent.end) gaps.push_back(extent);
    return gaps;
}

void Extents::remove(Extent extent) {
    auto at = ends_.upper_bound(extent.begin);
    if (at != ends_.begin() && std::prev(at)->second > extent.begin) --at;
    while (at != ends_.end() && at->first < extent.end) {
        const Extent there{at->first, at->second};
        at = ends_.erase(at);
        octets_ -= there.size();
        if (there.begin < extent.begin) {
            ends_.emplace(there.begin, extent.begin);
            octets_ += extent.begin - there.begin;
        }
        if (there.end > extent.end) {
            ends_.emplace(extent.end, there.end);
            octets_ += there.end - extent.end;
        }
    }
}

std::uint64_t Extents::first_gap() const {
    return ends_.empty() || ends_.begin()->first != 0 ? 0 : ends_.begin()->second;
}

std::vector<Extent> Extents::all() const {
    std::vector<Extent> list;
    for (const auto &[begin, end] : ends_) list.push_back({begin, end});
    return list;
}

}  // namespace farlink::files
