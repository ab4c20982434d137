// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/alarm_watch.hpp"

#include <utility>

#include "module/telemetry/core/alarms/node_conditions.hpp"
#include "module/telemetry/core/alarms/plan_conditions.hpp"

namespace farlink::telemetry {

std::vector<AlarmChange> AlarmWatch::look(const AlarmFacts &facts, DtnTime wall, TimePoint now) {
    std::vector<Condition> found;
    find_plan_ends(facts, config_, wall, found);
    find_backlog(facts, wall, found);
    disks_.find(facts.disks, config_, now, found);
    if (!facts.storage_full)
        full_since_.reset();
    else if (!full_since_)
        full_since_ = now;
    find_full_storage(facts, full_since_ && now - *full_since_ >= kDisksReportWithin, found);
    find_certificate_ends(facts, config_, wall, found);
    find_unchecked_peers(facts, found);
    find_clock_faults(facts, found);
    find_silent_modules(facts, found);
    links_.find(facts, config_, wall, found);
    find_stopped_history(facts, found);
    find_large_bundles(facts, found);
    find_exceeding_bundles(facts, found);
    return book_.look(std::move(found), wall, now);
}

void AlarmWatch::set_config(const config::AlarmsConfig &config) {
    config_ = config;
    book_.set_config(config);
}

}  // namespace farlink::telemetry
