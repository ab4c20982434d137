// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/link_tallies.hpp"

namespace farlink::telemetry {

LinkCounters &LinkTallies::of(LinkId link, std::string_view neighbour) {
    Key key{link, neighbour.substr(0, kMaxNameBytes)};
    if (tallies_.size() >= kMaxNeighbours && !tallies_.contains(key)) key.second = kOthers;
    const auto entry = tallies_.try_emplace(std::move(key)).first;
    if (!std::exchange(entry->second.changed, true)) changed_.push_back(&entry->first);
    return entry->second.counters;
}

std::optional<LinkTallies::Changed> LinkTallies::poll_changed() {
    if (changed_.empty()) return std::nullopt;
    const Key &key = *changed_.back();
    changed_.pop_back();
    Tally &tally = tallies_.find(key)->second;
    tally.changed = false;
    return Changed{key.first, key.second, tally.counters};
}

}  // namespace farlink::telemetry
