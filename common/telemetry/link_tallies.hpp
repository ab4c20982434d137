// SPDX-License-Identifier: Apache-2.0
// What is counted for each link of a module, and for each neighbour at it, by link and by name.
// Owned by whoever hosts the links; its thread only.
// Who counts often keeps the entry and finds it once. Neighbours name themselves, so their number
// is bounded: those that come too late share an entry.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/types.hpp"
#include "common/telemetry/link_counters.hpp"

namespace farlink::telemetry {

class LinkTallies {
    using Key = std::pair<LinkId, std::string>;
    struct Tally {
        LinkCounters counters;
        bool changed = false;
    };

public:
    /// Named neighbours of one module, the shared ones apart.
    static constexpr std::size_t kMaxNeighbours = 1024;
    /// Names longer than this are cut.
    static constexpr std::size_t kMaxNameBytes = 128;
    static constexpr std::string_view kOthers = "others";

    using Entry = std::pair<const Key, Tally>;

    /// The counters of a neighbour (its node id, or address; empty: of the link), to be changed.
    [[nodiscard]] LinkCounters &of(LinkId link, std::string_view neighbour) {
        return change(entry(link, neighbour));
    }
    /// The same, to be found once. It stays where it is until forget(link).
    [[nodiscard]] Entry &entry(LinkId link, std::string_view neighbour = {});
    /// The counters of an entry, to be changed.
    [[nodiscard]] LinkCounters &change(Entry &entry) {
        if (!std::exchange(entry.second.changed, true)) changed_.push_back(&entry);
        return entry.second.counters;
    }
    [[nodiscard]] static const LinkCounters &counters(const Entry &entry) {
        return entry.second.counters;
    }
    /// Whoever is told of changes has heard of nothing: everything has changed.
    void publish_again() {
        for (Entry &entry : tallies_) (void)change(entry);
    }
    /// The link is gone, and its neighbours with it.
    void forget(LinkId link);

    struct Changed {
        LinkId link;
        std::string_view neighbour;
        const LinkCounters &counters;
    };
    /// The next entry that was given out to be changed since it was last named here.
    [[nodiscard]] std::optional<Changed> poll_changed();

private:
    std::map<Key, Tally> tallies_;
    std::vector<Entry *> changed_;
    std::size_t named_ = 0;
};

}  // namespace farlink::telemetry
