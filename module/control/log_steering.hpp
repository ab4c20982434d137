// SPDX-License-Identifier: Apache-2.0
// `log level`: the log levels of all processes of the node, changed while they run.
// Owned by the control agent; its thread only.
// A process that starts again gets the changes since the start of the node.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/runtime/log/log_levels.hpp"
#include "module/control/core/caller.hpp"

namespace farlink::control {

class LogSteering {
public:
    using Send = std::function<void(bus::AgentId, bus::Message)>;

    /// `elsewhere`: the modules of other processes.
    LogSteering(std::vector<bus::AgentId> elsewhere, Send send)
        : elsewhere_(std::move(elsewhere)), send_(std::move(send)) {}

    /// The reply to `log level`. A request with `level` changes it, of `logger` or of all loggers.
    [[nodiscard]] nlohmann::ordered_json handle_command(const nlohmann::ordered_json &request,
                                                        const Caller &caller);
    /// A module of another process is back.
    void handle_back(bus::AgentId module) const;

private:
    /// In all processes; `logger` is empty for all loggers.
    void change(std::string_view logger, LogLevel level);

    std::vector<bus::AgentId> elsewhere_;
    Send send_;
    /// Since the start, in their order, without those that a later one replaces.
    std::vector<bus::LogChange> changes_;
};

}  // namespace farlink::control
