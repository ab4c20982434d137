// SPDX-License-Identifier: Apache-2.0
// The names of the alarms, when they are raised, and who is called.
// Part of NodeConfig; values.
// Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace farlink::config {

/// In the order of telemetry::AlarmName.
inline constexpr std::array<std::string_view, 17> kAlarmNames{
    "plan-ends-soon",          "plan-ended",        "backlog-without-contact",
    "disk-full-soon",          "storage-full",      "certificate-ends-soon",
    "certificate-ended",       "clock-suspended",   "clock-not-synchronised",
    "module-silent",           "neighbour-refuses", "no-acknowledgements",
    "link-misses-contact",     "history-stopped",   "bundle-too-large",
    "bundle-exceeds-contacts", "peers-not-checked"};

/// `alarms`
struct AlarmsConfig {
    std::uint32_t plan_hours = 24;        ///< `planEndsWithinHours`
    std::uint32_t disk_hours = 24;        ///< `diskFullWithinHours`
    std::uint32_t certificate_days = 30;  ///< `certificateEndsWithinDays`
    std::uint32_t missed_seconds = 30;    ///< `linkMissesContactAfterSeconds`
    std::uint32_t refused_seconds = 30;   ///< `neighbourRefusesAfterSeconds`
    std::vector<std::string> ignored;     ///< `ignore`: names that are not raised
    std::string webhook;                  ///< `webhook`: URL; empty: none
    std::string command;                  ///< `command`: path of a program; empty: none

    friend bool operator==(const AlarmsConfig &, const AlarmsConfig &) = default;
};

}  // namespace farlink::config
