// SPDX-License-Identifier: Apache-2.0
// Opens the bundle history that a module of the node writes.
// Plain functions; the agent owns the result.
// Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "common/history/bundle_history.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::history {

/// Off where the configuration has none, or no command can read it; what is wrong is logged.
[[nodiscard]] BundleHistory open_history(const config::NodeConfig &config, std::string_view module,
                                         const Logger &log);
/// The address space that the history of one module takes; 0 where none is written.
[[nodiscard]] std::uint64_t mapped_bytes(const config::NodeConfig &config);
/// A line for each file of another node in the folder of the history: with such a file the node
/// does not start. Changes nothing; also while the node runs.
[[nodiscard]] std::vector<std::string> review_history(const config::NodeConfig &config);

}  // namespace farlink::history
