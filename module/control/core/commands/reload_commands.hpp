// SPDX-License-Identifier: Apache-2.0
// `reload` and the `config` commands: apply the configuration file to the running node, show what
// commands have changed, undo it, or write it into the file.
// Owned by Commands; the control agent's thread only, but for work beside the loop, during which no
// member changes.
// One of them runs at a time; changes of links by commands wait meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "module/control/core/caller.hpp"
#include "module/control/core/commands/link_commands.hpp"
#include "module/control/core/commands/long_reply.hpp"
#include "module/control/core/control_log.hpp"
#include "module/control/core/pending_requests.hpp"
#include "module/control/core/plan_store.hpp"
#include "module/control/core/reload/config_source.hpp"
#include "module/control/core/reload/named_files.hpp"
#include "module/control/core/reload/reload_plan.hpp"
#include "module/control/core/reload/reload_replies.hpp"
#include "module/control/core/work_queue.hpp"

namespace farlink::control {

/// A log level that a command has set.
struct LogLevelChange {
    std::string logger;  ///< empty: all
    std::string level;
    std::string configured{};  ///< the level without the command
};

/// Actions of the control agent for a reload.
struct ReloadHooks {
    /// The `logLevel` of the file has changed.
    std::function<void(const std::string &level)> set_log_level;
    std::function<void()> revert_log_levels;
    /// The file has the level that a command has set for all loggers.
    std::function<void()> note_saved_level;
    /// By commands.
    std::function<std::vector<LogLevelChange>()> log_changes;
    /// Sends settings to all modules that have any of them.
    std::function<void(const std::string &settings)> send_settings;
    /// Ends each command: what it has done, or why nothing has changed.
    std::function<void(const Caller &, const std::string &command, const std::string &values,
                       const bus::ReloadReport &)>
        report;
    /// For the service manager: it begins, or has ended.
    std::function<void(bool begins)> busy;
};

class ReloadCommands {
public:
    using Json = nlohmann::ordered_json;

    /// All but `source` and `hooks` are borrowed. `changes`: the queue that writes the plan.
    ReloadCommands(const config::NodeConfig &config, ConfigSource source, PlanStore &plan,
                   PendingRequests &requests, LinkCommands &links, WorkQueue &changes,
                   ReloadHooks hooks, ControlLog log);

    void reload(bool partial, const Caller &caller, const TakeReply &reply, const WallClock &now);
    /// The live state against the file.
    void diff(const TakeReply &reply, const WallClock &now);
    /// Undoes changes by commands: links, rates, contact plan, log levels.
    void revert(const Caller &caller, const TakeReply &reply, const WallClock &now);
    /// Writes added, changed and removed links and the log level into the file.
    void save(const Caller &caller, const TakeReply &reply, const WallClock &now);

    /// The configuration in force.
    [[nodiscard]] const std::shared_ptr<const config::NodeConfig> &config() const {
        return config_;
    }
    /// The settings that differ from those at the start, for a module that starts; or nothing.
    [[nodiscard]] const std::optional<std::string> &settings() const { return settings_; }

private:
    struct Run;
    using RunPtr = std::shared_ptr<Run>;

    [[nodiscard]] RunPtr begin(const char *command, const Caller &caller, const TakeReply &reply,
                               const WallClock &now);
    void take_file(CheckedFile file);
    void finish(Run &run, const Json &reply, const WallClock &now);
    void add_work(const RunPtr &run, std::function<void(Run &)> work,
                  std::function<void(const RunPtr &, const WallClock &)> then,
                  const WallClock &now);

    // ---- beside the loop
    void prepare(Run &run) const;
    void check_named_files(Run &run) const;
    void check_changed_links(Run &run) const;
    void read_plan(Run &run, bool always) const;
    void prepare_save(Run &run) const;

    // ---- the steps on the loop
    void change_links(const RunPtr &run, const WallClock &now);
    void write_plan(const RunPtr &run, const WallClock &now);
    void change_plan(const RunPtr &run, const WallClock &now);
    void end_reload(const RunPtr &run, const WallClock &now);
    void revert_overrides(const RunPtr &run, const WallClock &now);
    [[nodiscard]] SettingChanges live_changes() const;

    const ConfigSource source_;
    const std::string folder_;
    PlanStore &plan_;
    PendingRequests &requests_;
    LinkCommands &links_;
    WorkQueue &changes_;
    ReloadHooks hooks_;
    ControlLog log_;
    std::shared_ptr<const config::NodeConfig> config_;  ///< in force
    std::string text_;                                  ///< in force
    ComparedFile file_;                                 ///< in force
    std::string on_disk_;  ///< as it was read last; after a partial reload it has more
    FileLinks numbers_;    ///< of the links in the file in force
    FileDigests digests_;  ///< of the files that it names
    std::optional<std::string> settings_;
    bool running_ = false;
};

}  // namespace farlink::control
