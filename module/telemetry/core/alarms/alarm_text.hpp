// SPDX-License-Identifier: Apache-2.0
// Alarms as JSON and as metrics.
// Plain functions on values.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "module/telemetry/core/alarms/alarm_book.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

/// One alarm, as docs/api/openapi.yaml describes it.
[[nodiscard]] Json to_json(const Alarm &alarm);
/// The active ones by number, for the state document.
[[nodiscard]] Json active_alarms(const AlarmBook &book);
/// `active` in the order of the book, and `ended`, the newest first.
[[nodiscard]] Json alarms_json(const AlarmBook &book);
/// How many are active, by severity.
[[nodiscard]] Json alarm_counts(const AlarmBook &book);
/// What became of the calls of a hook.
struct HookCounts {
    std::uint64_t done = 0;
    std::uint64_t failed = 0;   ///< refused, or without an answer in time
    std::uint64_t dropped = 0;  ///< its queue was full
};
struct AlarmHookCounts {
    HookCounts webhook{};
    HookCounts command{};
};

/// `farlink_alarm_active` and `farlink_alarms_raised_total`, with a sample for every name, and
/// `farlink_alarm_hook_calls_total`.
[[nodiscard]] std::string alarm_metrics(const AlarmBook &book, const config::AlarmsConfig &config,
                                        const AlarmHookCounts &hooks);

}  // namespace farlink::telemetry
