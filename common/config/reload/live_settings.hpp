// SPDX-License-Identifier: Apache-2.0
// How a reload applies each setting of the configuration file.
// One table; the reference of the configuration is made from it. Constant; any thread.
// A setting that is not in the table needs a restart of the node.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace farlink::config {

/// What carries out the change of a setting.
enum class Applied : std::uint8_t {
    kRestart = 0,      ///< only a restart
    kNothing = 1,      ///< it has no effect on the node
    kLinks = 2,        ///< the link is added, removed or replaced
    kContactPlan = 3,  ///< the plan is read again
    kRouting = 4,
    kLogLevel = 5,
    kLimits = 6,
    kApi = 7,  ///< new requests and connections use it
    kAlarms = 8,
};

struct LiveSetting {
    std::string_view path;  ///< of the setting, or of the section that contains it
    Applied applied = Applied::kRestart;
    std::string_view effect{};  ///< for the reference
    bool may_come = true;       ///< false: adding it needs a restart
    bool may_go = true;         ///< likewise, removing it
};

[[nodiscard]] std::span<const LiveSetting> live_settings();

enum class ChangeKind : std::uint8_t { kAdded = 0, kRemoved = 1, kChanged = 2 };

/// For the setting at `path`, as in errors: "storageConfig.quotas[1].capacityBytes". The longest
/// path of the table that contains it counts.
[[nodiscard]] Applied applied_of(std::string_view path, ChangeKind kind);

}  // namespace farlink::config
