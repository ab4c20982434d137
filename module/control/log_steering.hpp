// SPDX-License-Identifier: Apache-2.0
// `log level`: the log levels of all processes of the node, changed while they run.
// Owned by the control agent; its thread only.
// A process that starts again gets the changes since the start of the node.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
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

    /// The levels of the configuration and the command line, after a reload. Levels that commands
    /// have set stay.
    void set_configured(const LogLevels &levels);
    /// The configuration file has the level that a command has set for all loggers.
    void note_saved();
    /// Undoes the changes by commands.
    void revert();
    /// The changes by commands that are in force: logger (empty: all) and level.
    [[nodiscard]] std::vector<std::pair<std::string, LogLevel>> changes() const;
    /// The levels without them.
    [[nodiscard]] const LogLevels &configured() const { return configured_; }

private:
    /// The changes that lead from the levels at the start to those in force.
    [[nodiscard]] std::vector<bus::LogChange> all_changes() const;
    void apply(const bus::LogChange &change) const;
    /// In all processes; `logger` is empty for all loggers.
    void change(std::string_view logger, LogLevel level);

    std::vector<bus::AgentId> elsewhere_;
    Send send_;
    LogLevels configured_ = log_levels();
    bool reloaded_ = false;  ///< those at the start were others
    /// By commands since the start, in their order, without those that a later one replaces.
    std::vector<bus::LogChange> changes_;
};

}  // namespace farlink::control
