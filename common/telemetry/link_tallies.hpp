// SPDX-License-Identifier: Apache-2.0
// Counters of each link of a module and of each neighbour at a link, by link and name.
// Owned by the module that hosts the links; its thread only.
// A frequent writer looks its entry up once and keeps it. Neighbours choose their names, so their
// number is bounded: all further ones share one entry.
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
    /// Neighbours of one module with entries of their own.
    static constexpr std::size_t kMaxNeighbours = 1024;
    /// Names longer than this are cut.
    static constexpr std::size_t kMaxNameBytes = 128;
    static constexpr std::string_view kOthers = "others";

    using Entry = std::pair<const Key, Tally>;

    /// The counters of a neighbour (its node id, or address; empty: of the link), for writing.
    [[nodiscard]] LinkCounters &of(LinkId link, std::string_view neighbour) {
        return change(entry(link, neighbour));
    }
    /// The entry of these counters; valid until forget(link).
    [[nodiscard]] Entry &entry(LinkId link, std::string_view neighbour = {});
    /// The counters of an entry, for writing; marks the entry as changed.
    [[nodiscard]] LinkCounters &change(Entry &entry) {
        if (!std::exchange(entry.second.changed, true)) changed_.push_back(&entry);
        return entry.second.counters;
    }
    [[nodiscard]] static const LinkCounters &counters(const Entry &entry) {
        return entry.second.counters;
    }
    /// Marks all entries as changed, for a receiver that has none of them.
    void publish_again() {
        for (Entry &entry : tallies_) (void)change(entry);
    }
    /// Removes the link and its neighbours.
    void forget(LinkId link);

    struct Changed {
        LinkId link;
        std::string_view neighbour;
        const LinkCounters &counters;
    };
    /// The next entry that has changed since this last returned it.
    [[nodiscard]] std::optional<Changed> poll_changed();

private:
    std::map<Key, Tally> tallies_;
    std::vector<Entry *> changed_;
    std::size_t named_ = 0;
};

}  // namespace farlink::telemetry
