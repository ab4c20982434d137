// SPDX-License-Identifier: Apache-2.0
// The name of a module, as in the configuration.
// A plain function.
// Any thread.
#pragma once

#include <string_view>

#include "common/bus/messages.hpp"
#include "common/config/node/bus_config.hpp"

namespace farlink::telemetry {

[[nodiscard]] inline std::string_view module_name(bus::AgentId module) {
    return config::kModuleNames[static_cast<std::size_t>(module)];
}
static_assert(config::kModuleNames.size() == bus::kAgentCount);

}  // namespace farlink::telemetry
