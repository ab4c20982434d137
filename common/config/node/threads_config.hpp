// SPDX-License-Identifier: Apache-2.0
// The number of instances of ingress and egress, and the processors of the modules.
// Part of NodeConfig; values.
// Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/config/node/bus_config.hpp"

namespace farlink::config {

/// `threads`
struct ThreadsConfig {
    std::uint32_t instances = 1;  ///< `instances`: of ingress, and of egress
    /// `processors`: by module, in the order of kModuleNames; none: the system's choice.
    std::array<std::optional<std::uint32_t>, kModuleNames.size()> processors{};
};

}  // namespace farlink::config
