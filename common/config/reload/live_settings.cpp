// SPDX-License-Identifier: Apache-2.0
#include "common/config/reload/live_settings.hpp"

#include <array>
#include <string>

namespace farlink::config {
namespace {

constexpr std::string_view kLinkEffect =
    "a link that differs is added, removed, or replaced: its own sessions end and begin again";
constexpr std::string_view kStoreEffect = "new bundles; stored ones stay";

constexpr std::array kLive{
    LiveSetting{"$schema", Applied::kNothing, "none"},
    LiveSetting{"inductsConfig", Applied::kLinks, kLinkEffect},
    LiveSetting{"outductsConfig", Applied::kLinks, kLinkEffect},
    LiveSetting{"contactPlanFile", Applied::kContactPlan,
                "the plan is read again; when its contacts differ, it replaces the plan in force. "
                "Removing the key needs a restart",
                true, false},
    LiveSetting{"routing", Applied::kRouting, "new bundles, and stored ones that wait"},
    LiveSetting{"routing.nodeEndpoints", Applied::kRestart},
    LiveSetting{"logLevel", Applied::kLogLevel,
                "all loggers without a level of their own, unless a command has set one"},
    LiveSetting{"fragmentBundlesLargerThanBytes", Applied::kLimits, "bundles that begin to leave"},
    LiveSetting{"maxPauseMilliseconds", Applied::kLimits, "the next pause"},
    LiveSetting{"acknowledgeWithinMilliseconds", Applied::kLimits, "new bundles"},
    LiveSetting{"statusReports", Applied::kLimits, "new bundles"},
    LiveSetting{"statusReportsPerSecond", Applied::kLimits, "the next report"},
    LiveSetting{"neighborDepletedStorageDelaySeconds", Applied::kLimits, "the next signal"},
    LiveSetting{"storageConfig.totalStorageCapacityBytes", Applied::kLimits, kStoreEffect},
    LiveSetting{"storageConfig.reserveForExpeditedBytes", Applied::kLimits, kStoreEffect},
    LiveSetting{"storageConfig.whenFull", Applied::kLimits, kStoreEffect},
    LiveSetting{"storageConfig.reassembly", Applied::kLimits, "new fragments; stored ones stay"},
    LiveSetting{"storageConfig.overtakeStored", Applied::kLimits, "new bundles"},
    LiveSetting{"storageConfig.quotas[].capacityBytes", Applied::kLimits, kStoreEffect},
    LiveSetting{"storageConfig.storageDiskConfigVector[].capacityBytes", Applied::kLimits,
                kStoreEffect},
    LiveSetting{"api.tokensFile", Applied::kApi, "the next request"},
    LiveSetting{"api.allowedHosts", Applied::kApi, "the next request"},
    LiveSetting{"api.tls.certificate", Applied::kApi,
                "new connections. Switching TLS on or off needs a restart", false, false},
    LiveSetting{"api.tls.key", Applied::kApi, "new connections", false, false},
    LiveSetting{"alarms", Applied::kAlarms, "the next second"},
    LiveSetting{"security", Applied::kLimits,
                "the next bundles that arrive; the keys are read again"},
};

/// Without the numbers of items: "quotas[1]" becomes "quotas[]".
std::string without_places(std::string_view path) {
    std::string plain;
    bool inside = false;
    for (const char c : path) {
        if (c == ']') inside = false;
        if (!inside) plain += c;
        if (c == '[') inside = true;
    }
    return plain;
}

bool contains(std::string_view section, std::string_view path) {
    if (!path.starts_with(section)) return false;
    return path.size() == section.size() || path[section.size()] == '.' ||
           path[section.size()] == '[';
}

}  // namespace

std::span<const LiveSetting> live_settings() {
    return kLive;
}

Applied applied_of(std::string_view path, ChangeKind kind) {
    const std::string plain = without_places(path);
    const LiveSetting *best = nullptr;
    for (const LiveSetting &setting : kLive)
        if (contains(setting.path, plain) &&
            (best == nullptr || setting.path.size() > best->path.size()))
            best = &setting;
    if (best == nullptr) return Applied::kRestart;
    const bool allowed = kind == ChangeKind::kChanged ||
                         (kind == ChangeKind::kAdded ? best->may_come : best->may_go);
    return allowed ? best->applied : Applied::kRestart;
}

}  // namespace farlink::config
