// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/alarm.hpp"

#include <array>

namespace farlink::telemetry {
namespace {

constexpr Severity kWarning = Severity::kWarning;
constexpr Severity kCritical = Severity::kCritical;

/// In the order of the names. Where the cause itself changes slowly, a short time suffices; what
/// comes and goes has a longer one, so that the alarm does not.
constexpr std::array<AlarmKind, kAlarmNameCount> kKinds{{
    {kWarning, seconds(5), seconds(5)},     // plan-ends-soon
    {kCritical, seconds(5), seconds(5)},    // plan-ended
    {kWarning, seconds(30), seconds(10)},   // backlog-without-contact
    {kWarning, seconds(10), seconds(60)},   // disk-full-soon
    {kCritical, seconds(1), seconds(1)},    // storage-full, which waits by itself
    {kWarning, seconds(1), seconds(1)},     // certificate-ends-soon
    {kCritical, seconds(1), seconds(1)},    // certificate-ended
    {kCritical, seconds(1), seconds(2)},    // clock-suspended
    {kWarning, seconds(120), seconds(60)},  // clock-not-synchronised
    {kCritical, seconds(2), seconds(5)},    // module-silent
    {kWarning, seconds(30), seconds(10)},   // neighbour-refuses
    {kCritical, seconds(30), seconds(10)},  // no-acknowledgements
    {kCritical, seconds(30), seconds(5)},   // link-misses-contact
    {kWarning, seconds(1), seconds(10)},    // history-stopped
    {kWarning, seconds(10), seconds(5)},    // bundle-too-large
    {kWarning, seconds(10), seconds(5)},    // bundle-exceeds-contacts
    {kWarning, seconds(1), seconds(1)},     // peers-not-checked
}};

}  // namespace

AlarmKind kind_of(AlarmName name, const config::AlarmsConfig &config) {
    AlarmKind kind = kKinds[static_cast<std::size_t>(name)];
    if (name == AlarmName::kNeighbourRefuses) kind.raised_after = seconds(config.refused_seconds);
    if (name == AlarmName::kLinkMissesContact || name == AlarmName::kNoAcknowledgements)
        kind.raised_after = seconds(config.missed_seconds);
    return kind;
}

}  // namespace farlink::telemetry
