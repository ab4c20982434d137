// SPDX-License-Identifier: Apache-2.0
// Writes changes by commands into the text of a configuration file: links that were added, changed
// and removed, and the log level of all loggers.
// Plain functions on values; any thread.
// All other parts of the text stay as they are.
#pragma once

#include <optional>
#include <string>

#include "module/control/core/reload/link_changes.hpp"

namespace farlink::control {

struct LiveState {
    const LinkOverrides &links;
    const FileLinks &numbers;                ///< of the links in the file
    std::optional<std::string> log_level{};  ///< set by command, for all loggers
};

[[nodiscard]] std::string save_live_state(const std::string &text, const LiveState &live);
/// The numbers of the links in the file after that.
[[nodiscard]] FileLinks saved_numbers(const LiveState &live);

}  // namespace farlink::control
