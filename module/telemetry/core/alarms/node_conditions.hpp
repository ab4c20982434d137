// SPDX-License-Identifier: Apache-2.0
// Conditions of storage, bundles, certificates, peers, clock, modules and history that the facts
// state directly.
// Plain functions on values.
// Any thread.
#pragma once

#include <vector>

#include "module/telemetry/core/alarms/alarm.hpp"
#include "module/telemetry/core/alarms/alarm_facts.hpp"

namespace farlink::telemetry {

/// `storage-full`. `lasting`: it holds also without a disk that shows why, since a disk reports its
/// state later than storage its refusals.
void find_full_storage(const AlarmFacts &facts, bool lasting, std::vector<Condition> &found);
/// `certificate-ends-soon` and `certificate-ended`, one for each file of a link or of the API.
void find_certificate_ends(const AlarmFacts &facts, const config::AlarmsConfig &config,
                           DtnTime wall, std::vector<Condition> &found);
/// `clock-suspended` and `clock-not-synchronised`
void find_clock_faults(const AlarmFacts &facts, std::vector<Condition> &found);
/// `module-silent`
void find_silent_modules(const AlarmFacts &facts, std::vector<Condition> &found);
/// `bundle-too-large`
void find_large_bundles(const AlarmFacts &facts, std::vector<Condition> &found);
/// `bundle-exceeds-contacts`
void find_exceeding_bundles(const AlarmFacts &facts, std::vector<Condition> &found);
/// `peers-not-checked`, one for each link
void find_unchecked_peers(const AlarmFacts &facts, std::vector<Condition> &found);
/// `history-stopped`
void find_stopped_history(const AlarmFacts &facts, std::vector<Condition> &found);

}  // namespace farlink::telemetry
