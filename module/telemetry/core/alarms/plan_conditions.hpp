// SPDX-License-Identifier: Apache-2.0
// Conditions of the contact plan: it ends soon, it has ended, it does not carry what waits.
// Plain functions on values.
// Any thread.
#pragma once

#include <vector>

#include "module/telemetry/core/alarms/alarm.hpp"
#include "module/telemetry/core/alarms/alarm_facts.hpp"

namespace farlink::telemetry {

/// `plan-ends-soon` and `plan-ended`, by the last contact in which this node sends.
void find_plan_ends(const AlarmFacts &facts, const config::AlarmsConfig &config, DtnTime wall,
                    std::vector<Condition> &found);

/// `backlog-without-contact`: one for all destinations without a route, and one for each next hop
/// whose remaining contacts carry less than what waits for it. Nothing once the plan has ended.
void find_backlog(const AlarmFacts &facts, DtnTime wall, std::vector<Condition> &found);

}  // namespace farlink::telemetry
