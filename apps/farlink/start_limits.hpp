// SPDX-License-Identifier: Apache-2.0
// Whether the limits of the process suffice for the modules that it is to run.
// A plain function, at start-up.
// The main thread.
#pragma once

#include <optional>
#include <string>

#include "apps/farlink/module_choice.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::app {

/// The limit that is too low, in one line, or empty. With `isolate` each module has a process of
/// its own with the same limits.
[[nodiscard]] std::optional<std::string> find_shortage_of(const config::NodeConfig &config,
                                                          const ModuleChoice &choice, bool isolate);

}  // namespace farlink::app
