// SPDX-License-Identifier: Apache-2.0
// `link-misses-contact` and `neighbour-refuses`: what each link lacks, and since when.
// Owned by AlarmWatch; one thread.
// AlarmBook waits for the times of the configuration.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "module/telemetry/core/alarms/alarm.hpp"
#include "module/telemetry/core/alarms/alarm_facts.hpp"

namespace farlink::telemetry {

class LinkConditions {
public:
    /// A second has passed.
    void find(const AlarmFacts &facts, const config::AlarmsConfig &config, DtnTime wall,
              std::vector<Condition> &found);

private:
    struct State {
        bool known = false;
        DtnTime missing_since = 0;  ///< 0: it is connected, or no contact is open
        std::uint64_t sent = 0;
        std::uint64_t refused = 0;
        std::uint64_t refused_before = 0;  ///< at the last bundle that the neighbour took
        DtnTime refused_since = 0;         ///< 0: it has refused none since
        DtnTime refused_last = 0;          ///< the last refusal was seen
    };

    static void find_missing(const LinkFacts &link, bool replaced, DtnTime wall, State &state,
                             std::vector<Condition> &found);
    static void find_refusals(const LinkFacts &link, bool any_waits, DtnTime wall, State &state,
                              std::vector<Condition> &found);

    std::map<LinkId, State> states_;
};

}  // namespace farlink::telemetry
