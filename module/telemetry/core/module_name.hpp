// SPDX-License-Identifier: Apache-2.0
// The name of a module, as in the configuration, and the event of its process.
// Plain functions.
// Any thread.
#pragma once

#include <string>
#include <string_view>

#include "common/bus/messages.hpp"
#include "common/config/node/bus_config.hpp"
#include "module/telemetry/core/event_log.hpp"

namespace farlink::telemetry {

[[nodiscard]] inline std::string_view module_name(bus::AgentId module) {
    return config::kModuleNames[static_cast<std::size_t>(module)];
}
/// Its process is lost, or is back.
[[nodiscard]] inline NodeEvent event_of(bus::AgentId module, bool lost) {
    const std::string_view name = module_name(module);
    return {lost ? "error" : "info", name, lost ? "module-lost" : "module-back", kNoLink,
            "module " + std::string(name) + ": its process " +
                (lost ? "has ended or is not reachable" : "is reachable again")};
}
static_assert(config::kModuleNames.size() == bus::kAgentCount);

}  // namespace farlink::telemetry
