// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/link_tallies.hpp"

namespace farlink::telemetry {

LinkTallies::Entry &LinkTallies::entry(LinkId link, std::string_view neighbour) {
    Key key{link, neighbour.substr(0, kMaxNameBytes)};
    const bool named = !neighbour.empty();
    if (named && named_ >= kMaxNeighbours && !tallies_.contains(key)) key.second = kOthers;
    const auto [found, fresh] = tallies_.try_emplace(std::move(key));
    if (fresh && named) ++named_;
    return *found;
}

void LinkTallies::forget(LinkId link) {
    std::erase_if(changed_, [&](const Entry *entry) { return entry->first.first == link; });
    auto at = tallies_.lower_bound(Key{link, {}});
    while (at != tallies_.end() && at->first.first == link) {
        if (!at->first.second.empty()) --named_;
        at = tallies_.erase(at);
    }
}

std::optional<LinkTallies::Changed> LinkTallies::poll_changed() {
    if (changed_.empty()) return std::nullopt;
    Entry &entry = *changed_.back();
    changed_.pop_back();
    entry.second.changed = false;
    return Changed{entry.first.first, entry.first.second, entry.second.counters};
}

}  // namespace farlink::telemetry
