// SPDX-License-Identifier: Apache-2.0
// All conditions of the node, and the alarms that they become.
// Owned by NodeView; one thread.
// Once a second, linear in links and waiting destinations; nothing is on the data path.
#pragma once

#include <optional>
#include <vector>

#include "module/telemetry/core/alarms/alarm_book.hpp"
#include "module/telemetry/core/alarms/alarm_facts.hpp"
#include "module/telemetry/core/alarms/disk_growth.hpp"
#include "module/telemetry/core/alarms/link_conditions.hpp"

namespace farlink::telemetry {

class AlarmWatch {
public:
    explicit AlarmWatch(const config::AlarmsConfig &config) : config_(config), book_(config) {}

    /// A second has passed; returns the alarms that were raised or have ended.
    [[nodiscard]] std::vector<AlarmChange> look(const AlarmFacts &facts, DtnTime wall,
                                                TimePoint now);
    /// The configuration was reloaded.
    void set_config(const config::AlarmsConfig &config);
    [[nodiscard]] const AlarmBook &book() const { return book_; }

private:
    static constexpr Duration kDisksReportWithin = seconds(3);

    config::AlarmsConfig config_;
    std::optional<TimePoint> full_since_;  ///< storage
    DiskGrowth disks_;
    LinkConditions links_;
    AlarmBook book_;
};

}  // namespace farlink::telemetry
