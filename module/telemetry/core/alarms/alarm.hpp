// SPDX-License-Identifier: Apache-2.0
// An alarm: a condition that needs an operator, with its name, its figures and what to do.
// Values.
// Any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/config/operations/alarms_config.hpp"

namespace farlink::telemetry {

/// docs/guide/operations.md describes each under a heading of its name.
enum class AlarmName : std::uint8_t {
    kPlanEndsSoon,
    kPlanEnded,
    kBacklogWithoutContact,
    kDiskFullSoon,
    kStorageFull,
    kCertificateEndsSoon,
    kCertificateEnded,
    kClockSuspended,
    kClockNotSynchronised,
    kModuleSilent,
    kNeighbourRefuses,
    kNoAcknowledgements,
    kLinkMissesContact,
    kHistoryStopped,
    kBundleTooLarge,
    kBundleExceedsContacts,
    kPeersNotChecked,
};
inline constexpr std::size_t kAlarmNameCount = config::kAlarmNames.size();
static_assert(static_cast<std::size_t>(AlarmName::kPeersNotChecked) + 1 == kAlarmNameCount);

[[nodiscard]] constexpr std::string_view to_string(AlarmName name) {
    return config::kAlarmNames[static_cast<std::size_t>(name)];
}

enum class Severity : std::uint8_t { kWarning, kCritical };
[[nodiscard]] constexpr std::string_view to_string(Severity severity) {
    return severity == Severity::kCritical ? "critical" : "warning";
}

/// What is the same for all alarms of a name.
struct AlarmKind {
    Severity severity = Severity::kWarning;
    Duration raised_after{};  ///< the condition has held for this time
    Duration ended_after{};   ///< it has not held for this time
};
/// `config` has the times of two of them.
[[nodiscard]] AlarmKind kind_of(AlarmName name, const config::AlarmsConfig &config);

/// What an alarm is about; members that do not apply keep their defaults.
struct AlarmSubject {
    static constexpr std::uint32_t kNoDisk = ~std::uint32_t{0};

    LinkId link = kNoLink;
    NodeNumber neighbour{};
    std::uint32_t disk = kNoDisk;
    std::string module{};
    std::string file{};   ///< of a certificate; not shown, the text has it
    bool others = false;  ///< stands for all that have no alarm of their own

    friend auto operator<=>(const AlarmSubject &, const AlarmSubject &) = default;
};

/// What holds at this moment.
struct Condition {
    AlarmName name = AlarmName::kPlanEnded;
    AlarmSubject subject{};
    std::string text{};    ///< the figures
    std::string action{};  ///< what to do, with the command
    /// Takes the place of a text with a duration from now on when the alarm has ended; empty: none.
    std::string text_when_ended{};
};

struct Alarm {
    std::uint64_t id = 0;
    Severity severity = Severity::kWarning;
    Condition condition{};
    DtnTime since = 0;
    DtnTime ended = 0;  ///< 0: it is active

    [[nodiscard]] AlarmName name() const { return condition.name; }
};

}  // namespace farlink::telemetry
