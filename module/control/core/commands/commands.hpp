// SPDX-License-Identifier: Apache-2.0
// Commands of an operator to the running node: one JSON request in, one JSON reply out.
// Owned by the control agent; its thread only. No sockets: whoever hands over a request names the
// caller.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "module/control/core/caller.hpp"
#include "module/control/core/commands/bundle_commands.hpp"
#include "module/control/core/commands/link_commands.hpp"
#include "module/control/core/commands/long_reply.hpp"
#include "module/control/core/commands/ping_commands.hpp"
#include "module/control/core/commands/plan_commands.hpp"
#include "module/control/core/commands/route_commands.hpp"
#include "module/control/core/commands/storage_commands.hpp"
#include "module/control/core/drain_mode.hpp"
#include "module/control/core/module_supervision.hpp"
#include "module/control/core/pending_requests.hpp"
#include "module/control/core/remaining_contacts.hpp"

namespace farlink::control {

/// A change by a command, for the audit.
struct AuditedChange {
    std::string who;
    std::string command;
    std::string values;  ///< of CommandHooks::audit_values
    bool done = false;
    std::string error{};
};

/// Actions of the control agent.
struct CommandHooks {
    std::function<void()> confirm_clock;
    /// The reply to `log level`.
    std::function<nlohmann::ordered_json(const nlohmann::ordered_json &request, const Caller &)>
        log_level;
    std::function<void(const AuditedChange &)> audit;
    /// The members of a request of `bytes` octets that the audit repeats. In any thread.
    std::function<std::string(const nlohmann::ordered_json &request, std::size_t bytes)>
        audit_values;
    StorageCommands::WriteHeld write_held;
    BundleCommands::FindPast find_past;
    /// `reload` and the `config` commands.
    std::function<void(const nlohmann::ordered_json &request, const Caller &, const TakeReply &,
                       const WallClock &now)>
        config;
    /// The configuration in force, which a reload changes.
    std::function<std::shared_ptr<const config::NodeConfig>()> config_in_force;
    ControlLog log;
};

/// The parts of the control agent that commands use.
struct CommandParts {
    PlanStore &plan;
    PendingRequests &requests;
    HeldDestinations &holds;
    DrainMode &drain;
    const ModuleSupervision &modules;
    WorkQueue &plan_changes;
    WorkQueue &long_replies;
};

class Commands {
public:
    using Reply = std::function<void(std::string)>;

    /// `config` and the parts are borrowed. Work that is queued uses the commands: both queues end
    /// first.
    Commands(const config::NodeConfig &config, const CommandParts &parts, CommandHooks hooks,
             const WallClock &now);

    /// docs/formats/control.md describes requests. `reply` is called once, now or when the modules
    /// have replied; a request that is no JSON gets one, too.
    void handle(const Caller &caller, std::string request, const Reply &reply,
                const WallClock &now);

    /// For a reload.
    [[nodiscard]] LinkCommands &links() { return links_; }

    void handle_second(const WallClock &now) {
        links_.handle_second(now);
        plan_.handle_second(now);
    }
    void handle(const bus::LinkChangeResult &result) { links_.handle(result); }
    void handle(const bus::PingReply &reply) { pings_.handle(reply); }
    void handle_ready(const bus::ModuleReady &ready, const WallClock &now);
    void handle_lost(bus::AgentId module);

    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(const WallClock &now);

private:
    using Json = nlohmann::ordered_json;
    struct Request {
        Json body;
        Caller caller;
        TakeReply reply;
    };
    using Handler = void (Commands::*)(const Request &, const WallClock &);
    struct Entry {
        std::string_view name;
        Handler handler;
        std::vector<std::string_view> keys{};  ///< of the request, beside `command`
        bool changes = false;                  ///< the node: a line of the audit
    };
    static const std::vector<Entry> &entries();

    [[nodiscard]] static const Entry *entry_of(const Json &body);
    [[nodiscard]] static Json no_such_command(const Json &body);
    /// Nothing for a request that changes nothing.
    [[nodiscard]] std::optional<AuditedChange> audited_change(const Entry &entry, const Json &body,
                                                              const Caller &caller,
                                                              std::size_t bytes) const;
    void audit(AuditedChange change, const WrittenReply &reply) const;
    void handle_long(const Caller &caller, std::string request, const TakeReply &reply,
                     const WallClock &now);
    void confirm_clock(const Request &request, const WallClock &now);
    void drain(const Request &request, const WallClock &now);
    void status(const Request &request, const WallClock &now);
    void show_plan(const Request &request, const WallClock &now);
    void plan_history(const Request &request, const WallClock &now);
    void change_plan(const Request &request, const WallClock &now);
    template <auto kCommand>
    void link(const Request &request, const WallClock &now);
    void ping(const Request &request, const WallClock &now);
    void routes(const Request &request, const WallClock &now);
    void explain_route(const Request &request, const WallClock &now);
    /// Lists or reads what is stored.
    template <auto kCommand>
    void stored(const Request &request, const WallClock &now);
    void store_task(const Request &request, const WallClock &now);
    void find_bundle(const Request &request, const WallClock &now);
    void delete_stored(const Request &request, const WallClock &now);
    void hold(const Request &request, const WallClock &now);
    void holds(const Request &request, const WallClock &now);
    void show(const Request &request, const WallClock &now);
    void log_level(const Request &request, const WallClock &now);
    void config(const Request &request, const WallClock &now);
    /// `condition` is that of request_condition(); empty without telemetry.
    [[nodiscard]] Json status_json(const bus::LinkSnapshot &links, const Json &condition,
                                   const WallClock &now);

    const config::NodeConfig &config_;
    const config::LinkPlacement placement_{config_};
    PendingRequests &requests_;
    DrainMode &drain_;
    const ModuleSupervision &modules_;
    WorkQueue &long_replies_;
    CommandHooks hooks_;
    LinkCommands links_;
    PlanCommands plan_;
    PingCommands pings_;
    StorageCommands storage_;
    BundleCommands bundles_;
    RouteCommands routes_;
    const PlanStore &plan_store_;
    RemainingContacts remaining_;
    TimePoint started_;
};

}  // namespace farlink::control
