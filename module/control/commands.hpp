// SPDX-License-Identifier: Apache-2.0
// What an operator can ask of a running node: one JSON request in, one JSON reply out.
// Owned by the node's supervisor; its thread only.
// It knows nothing of sockets: whoever brings a request says who asks.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/audit/audit_log.hpp"
#include "common/routing/forwarding_explanation.hpp"
#include "module/control/core/caller.hpp"
#include "module/control/link_commands.hpp"
#include "module/control/long_reply.hpp"
#include "module/control/pending_requests.hpp"
#include "module/control/ping_commands.hpp"
#include "module/control/plan_commands.hpp"
#include "module/control/slow_work.hpp"
#include "module/control/storage_commands.hpp"

namespace farlink::app {

/// What the supervisor itself does or knows.
struct NodeHooks {
    std::function<void()> confirm_clock;  ///< tells the modules that the clock is right
    std::function<void(bool)> drain;      ///< nothing new is taken, or it is again
    std::function<bool()> drained;
    /// "ready", "starting" or "lost".
    std::function<std::string_view(bus::AgentId)> module_state;
    /// Of all processes; of all loggers without a name.
    std::function<void(std::string_view logger, LogLevel)> change_log;
    /// Of a change that came by the control socket.
    std::function<void(const AuditEntry &)> audit;
};

class Commands {
public:
    using Reply = std::function<void(std::string)>;

    /// All but `hooks` are borrowed.
    Commands(boost::asio::io_context &io, const config::NodeConfig &config, ContactPlanStore &plan,
             PendingRequests &requests, HeldDestinations &holds, NodeHooks hooks);

    /// docs/formats/control.md says what a request looks like. `reply` is called once, at once or
    /// when the modules have answered; anything is answered, also what is no JSON.
    void handle(const Caller &caller, std::string request, const Reply &reply);
    /// The router has begun, and waits to hear what the operator holds.
    void handle_router() { storage_.publish_to_router(); }

    void handle(const bus::LinkChangeResult &result) { links_.handle(result); }
    void handle(const bus::PingReply &reply) { pings_.handle(reply); }
    void handle_ready(const bus::ModuleReady &ready);
    void handle_lost(bus::AgentId module);

private:
    using Json = nlohmann::ordered_json;
    struct Request {
        Json body;
        Caller caller;
        TakeReply reply;
    };
    using Handler = void (Commands::*)(const Request &);
    struct Entry {
        std::string_view name;
        Handler handler;
        std::vector<std::string_view> keys{};  ///< of the request, beside `command`
        bool changes = false;                  ///< the node: a line of the audit
    };
    static const std::vector<Entry> &entries();

    [[nodiscard]] static const Entry *entry_of(const Json &body);
    [[nodiscard]] static Json no_such_command(const Json &body);
    /// What the audit says of a request; nothing of one that only looks.
    [[nodiscard]] static std::optional<AuditEntry> audit_entry(const Entry &entry, const Json &body,
                                                               const Caller &caller,
                                                               std::size_t bytes);
    void audit(AuditEntry line, const WrittenReply &reply) const;
    void handle_long(const Caller &caller, std::string request, const TakeReply &reply);
    void confirm_clock(const Request &request);
    void drain(const Request &request);
    void status(const Request &request);
    void show_plan(const Request &request);
    void plan_history(const Request &request);
    void change_plan(const Request &request);
    template <auto Steer>
    void link(const Request &request);
    void ping(const Request &request);
    struct Ways {
        std::vector<bus::LinkEntry> links;
        bus::RouteUpdate routes;
        PendingRequests::Waiting waiting;
        std::string shown_links{};          ///< as telemetry shows them; empty: not asked
        std::vector<NodeNumber> planned{};  ///< next hops by the plan; with shown_links
    };
    /// What is made of them is made beside the loop: a plan may have routes to very many nodes.
    using TakeWays = std::function<void(const std::shared_ptr<Ways> &)>;
    void ask_ways(const TakeReply &reply, const TakeWays &then);
    void routes(const Request &request);
    void explain_route(const Request &request);
    /// A question, and what the table of routes says to it.
    struct Explained {
        Json request;  ///< `bundle` borrows its texts
        std::shared_ptr<Ways> ways;
        Json published{};                              ///< the reply
        std::optional<routing::BundleFacts> bundle{};  ///< empty: nothing is to be added to that
        routing::Explanation explanation{};
        std::uint64_t waiting_bytes = 0;
    };
    void explain(Explained &explained) const;
    [[nodiscard]] static Json explanation_of(const Explained &explained);
    void list_stored(const Request &request);
    void decode_stored(const Request &request);
    void read_stored(const Request &request);
    void store_task(const Request &request);
    void delete_stored(const Request &request);
    void hold(const Request &request);
    void holds(const Request &request);
    void show(const Request &request);
    void log_level(const Request &request);
    [[nodiscard]] Json modules_json() const;

    const config::NodeConfig &config_;
    PendingRequests &requests_;
    NodeHooks hooks_;
    PlanCommands plan_;
    LinkCommands links_;
    PingCommands pings_;
    StorageCommands storage_;
    TimePoint started_;
    Logger log_{"control"};
    /// Last, so that they end first: what they do uses the others.
    SlowWork plan_changes_;
    SlowWork long_replies_;
};

}  // namespace farlink::app
