// SPDX-License-Identifier: Apache-2.0
// `routes` and `routes explain`: the rules that select a next hop, and the decision about one
// bundle.
// Owned by Commands; the control agent's thread only, but for decisions and replies, which are
// made beside the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/config/node/link_placement.hpp"
#include "common/config/node/node_config.hpp"
#include "common/routing/forwarding_explanation.hpp"
#include "module/control/core/commands/link_commands.hpp"
#include "module/control/core/commands/long_reply.hpp"
#include "module/control/core/commands/plan_commands.hpp"
#include "module/control/core/json/route_replies.hpp"
#include "module/control/core/module_supervision.hpp"
#include "module/control/core/pending_requests.hpp"

namespace farlink::control {

/// The parts of the node that a decision depends on; borrowed.
struct RouteParts {
    const PlanStore &plan;
    const PlanCommands &plan_commands;
    const LinkCommands &links;
    PendingRequests &requests;
    const ModuleSupervision &modules;
    WorkQueue &long_replies;
};

class RouteCommands {
public:
    using Json = nlohmann::ordered_json;
    /// The configuration, which a reload changes.
    using ConfigInForce = std::function<std::shared_ptr<const config::NodeConfig>()>;

    /// `config` is borrowed. Queued work uses this object: the queue ends first.
    RouteCommands(const config::NodeConfig &config, const RouteParts &parts,
                  ConfigInForce config_in_force);

    void show(const TakeReply &reply, const WallClock &now);
    void explain(const Json &body, const TakeReply &reply, const WallClock &now);

private:
    struct Request {
        Json body;
        TakeReply reply;
    };
    /// Links and routes of one moment.
    struct State {
        std::vector<bus::LinkEntry> links;
        bus::RouteUpdate routes;
        std::vector<bus::WaitingBytes> waiting;
        DtnTime time = 0;
        SharedPlan plan{};
        LinkReasons silent{};
        std::shared_ptr<const config::NodeConfig> config{};
        CutLimits cut{};
    };
    using TakeState = std::function<void(const std::shared_ptr<State> &)>;
    /// The decision about one bundle.
    struct Explained {
        routing::BundleFacts bundle;
        routing::Explanation explanation;
        std::uint64_t waiting_bytes = 0;
        std::string plan_words;
        Json reply;  ///< without what telemetry has
        bool needs_reasons = false;
    };

    [[nodiscard]] CutLimits cut_limits() const;
    void request_state(const TakeReply &reply, const TakeState &then, const WallClock &now);
    void handle_explanation(const Request &request, const std::shared_ptr<State> &state,
                            const std::shared_ptr<Explained> &explained, const WallClock &now);
    [[nodiscard]] Explained decide(const Json &request, const State &state) const;

    const config::NodeConfig &config_;
    config::LinkPlacement placement_;
    RouteParts parts_;
    ConfigInForce config_in_force_;
};

}  // namespace farlink::control
