// SPDX-License-Identifier: Apache-2.0
// What the processes of the node log, and how an operator changes that while they run.
// Owned by the node's supervisor; its thread only.
// A process that starts again is told what has been changed since the start.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/runtime/log/log_levels.hpp"
#include "module/control/core/caller.hpp"

namespace farlink::app {

class LogSteering {
public:
    using Send = std::function<void(bus::AgentId, bus::Message)>;

    /// `elsewhere`: the modules of other processes.
    LogSteering(std::vector<bus::AgentId> elsewhere, Send send)
        : elsewhere_(std::move(elsewhere)), send_(std::move(send)) {}

    /// In all processes; `logger` is empty for all loggers.
    void change(std::string_view logger, LogLevel level);
    /// A module of another process is there again.
    void handle_back(bus::AgentId module) const;

private:
    std::vector<bus::AgentId> elsewhere_;
    Send send_;
    std::vector<bus::LogChange> changes_;  ///< what still holds of those since the start, in order
};

/// The reply to `log level`: with `level` it has been changed, for `logger` or for all.
[[nodiscard]] nlohmann::ordered_json log_level_reply(
    const nlohmann::ordered_json &request, const Caller &caller,
    const std::function<void(std::string_view, LogLevel)> &change);

}  // namespace farlink::app
