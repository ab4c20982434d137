// SPDX-License-Identifier: Apache-2.0
// What is counted for each neighbour of a module's links, by link and by name.
// Owned by the agent that hosts the links; its thread only.
// Neighbours name themselves, so their number is bounded: those that come too late share an entry.
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
public:
    /// Entries of one module, the shared ones apart.
    static constexpr std::size_t kMaxNeighbours = 1024;
    /// Names longer than this are cut.
    static constexpr std::size_t kMaxNameBytes = 128;
    static constexpr std::string_view kOthers = "others";

    /// The counters of a neighbour (its node id, or address; empty: of the link), to be changed.
    [[nodiscard]] LinkCounters &of(LinkId link, std::string_view neighbour);

    struct Changed {
        LinkId link;
        std::string_view neighbour;
        const LinkCounters &counters;
    };
    /// The next entry that of() has given out since it was last named here.
    [[nodiscard]] std::optional<Changed> poll_changed();

private:
    using Key = std::pair<LinkId, std::string>;
    struct Tally {
        LinkCounters counters;
        bool changed = false;
    };

    std::map<Key, Tally> tallies_;
    std::vector<const Key *> changed_;
};

}  // namespace farlink::telemetry
