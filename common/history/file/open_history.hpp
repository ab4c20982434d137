// SPDX-License-Identifier: Apache-2.0
// Opens the bundle history that a module of the node writes.
// A plain function; the agent owns the result.
// Any thread.
#pragma once

#include <string_view>

#include "common/config/node/node_config.hpp"
#include "common/history/bundle_history.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::history {

/// Off where the configuration has none, or no command can read it; what is wrong is logged.
[[nodiscard]] BundleHistory open_history(const config::NodeConfig &config, std::string_view module,
                                         const Logger &log);

}  // namespace farlink::history
