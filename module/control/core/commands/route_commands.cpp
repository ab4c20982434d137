// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/route_commands.hpp"

#include <algorithm>
#include <utility>

#include "module/control/core/json/replies.hpp"
#include "module/control/core/remaining_contacts.hpp"

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kDelivered = "the bundle is delivered at this node";

void give(const TakeReply &reply, const Json &body) {
    reply(written(body));
}

/// Bytes in storage for a node with that priority.
std::uint64_t waiting_bytes(const std::vector<bus::WaitingBytes> &waiting, NodeNumber destination,
                            Priority priority) {
    for (const bus::WaitingBytes &entry : waiting)
        if (entry.node == destination && entry.priority == priority) return entry.bytes;
    return 0;
}

}  // namespace

RouteCommands::RouteCommands(const config::NodeConfig &config, const RouteParts &parts,
                             ConfigInForce config_in_force)
    : config_(config),
      placement_(config),
      parts_(parts),
      config_in_force_(std::move(config_in_force)) {}

CutLimits RouteCommands::cut_limits() const {
    CutLimits limits{.node_bytes = config_in_force_()->fragment_above_bytes};
    for (const auto &[id, link] : parts_.links.links().links())
        if (link.outduct())
            limits.link_bytes[id] =
                std::get<config::OutductConfig>(link.config).fragment_above_bytes;
    return limits;
}

void RouteCommands::request_state(const TakeReply &reply, const TakeState &then,
                                  const WallClock &now) {
    const auto handle_links = [=, this](auto links, const WallClock &later) {
        if (!links) return give(reply, error_reply(Refusal::kUnavailable, kNoScheduler));
        const auto state = std::make_shared<State>();
        state->links = std::move(links->links);
        const auto handle_routes = [=, this](auto routes, const WallClock &last) {
            if (!routes) return give(reply, error_reply(Refusal::kUnavailable, kNoRouter));
            state->routes = std::move(*routes);
            state->time = last.dtn_ms;
            state->plan = parts_.plan.plan();
            for (const bus::LinkEntry &link : state->links)
                if (std::string words = parts_.modules.silence_on(link.link, placement_);
                    !words.empty())
                    state->silent.emplace(link.link, std::move(words));
            state->config = config_in_force_();
            state->cut = cut_limits();
            then(state);
        };
        const auto handle_backlog = [state](auto report, const WallClock &) {
            if (report) state->waiting = std::move(report->waiting);
        };
        parts_.requests.request_routes(handle_backlog, handle_routes, later);
    };
    parts_.requests.request_links(handle_links, now);
}

void RouteCommands::show(const TakeReply &reply, const WallClock &now) {
    const auto then = [this, reply](const auto &state) {
        const auto make = [config = config_in_force_(), state] {
            Json rules{{"ok", true}};
            rules.update(rules_json(config->routing, state->routes, state->links));
            return rules;
        };
        reply_later(parts_.long_replies, make, reply);
    };
    request_state(reply, then, now);
}

// Written beside the loop: a plan may have routes to very many nodes.
void RouteCommands::explain(const Json &body, const TakeReply &reply, const WallClock &now) {
    const auto then = [this, request = Request{body, reply}](const auto &state) {
        const auto explained = std::make_shared<Explained>();
        const bool queued = parts_.long_replies.add(
            [=, this](const std::stop_token &stop) {
                if (!stop.stop_requested()) *explained = decide(request.body, *state);
            },
            [=, this](const WallClock &later) {
                handle_explanation(request, state, explained, later);
            });
        if (!queued) give(request.reply, too_many_long_replies());
    };
    request_state(reply, then, now);
}

// Telemetry has what a decision does not show: sessions of peers whose node id nothing proves, and
// why links are down.
void RouteCommands::handle_explanation(const Request &request, const std::shared_ptr<State> &state,
                                       const std::shared_ptr<Explained> &explained,
                                       const WallClock &now) {
    if (!explained->needs_reasons || parts_.modules.is_lost(bus::AgentId::kTelemetry))
        return give(request.reply, explained->reply);
    const auto handle = [=, this](const auto &answer, const WallClock &) {
        if (!answer) return give(request.reply, explained->reply);
        const auto make = [=, links = std::string(as_text(answer->body)),
                           planned = parts_.plan_commands.neighbours(config_.node)] {
            return explanation_json(
                explained->bundle, explained->explanation,
                {state->links, explained->waiting_bytes, unproved_peers(links), planned,
                 node_name_of(request.body), link_reasons(links), state->cut, explained->plan_words,
                 state->silent, endpoint_name_of(request.body)});
        };
        reply_later(parts_.long_replies, make, request.reply);
    };
    parts_.requests.request_state("/api/v1/links", handle, now);
}

// The decision that ingress would make now, with the same table.
RouteCommands::Explained RouteCommands::decide(const Json &request, const State &state) const {
    Explained explained;
    const DtnTime now = state.time;
    routing::ForwardingTable table(state.config->routing);
    table.handle(state.routes);
    const auto bundle = facts_of(request, table, now);
    const auto without_decision = [&explained](Json reply) {
        explained.reply = std::move(reply);
        return explained;
    };
    if (!bundle) return without_decision(error_reply(Refusal::kInvalid, bundle.error()));
    const auto critical = asks_critical(request, *bundle, table);
    if (!critical) return without_decision(error_reply(Refusal::kInvalid, critical.error()));
    std::string ending = reserved_outcome(*bundle, config_.node);
    if (ending.empty() && bundle->destination == config_.node) ending = kDelivered;
    if (!ending.empty())
        return without_decision({{"ok", true}, {"ways", Json::array()}, {"outcome", ending}});
    const auto takes = [&](const routing::NextHop &hop) {
        const auto link = std::ranges::find(state.links, hop.link, &bus::LinkEntry::link);
        const bool open = link != state.links.end() && link->planned && link->connected;
        if (!open || bundle->size_bytes <= link->max_bundle_bytes) return true;
        // A bundle that may be cut fits, and this one has no flags that forbid it.
        return link->fragments;
    };
    // Critical bundles, and all with `overtakeStored`, do not queue behind stored ones.
    const bool passes = *critical || state.config->storage.overtake;
    explained.waiting_bytes =
        passes ? 0 : waiting_bytes(state.waiting, bundle->destination, bundle->priority);
    explained.explanation = *critical ? routing::explain_all(table, *bundle, now)
                                      : routing::explain(table, *bundle, now, takes);
    explained.bundle = *bundle;
    explained.bundle.name = {};  // it lies in the request
    explained.needs_reasons = needs_reasons(explained.explanation, state.links);
    explained.plan_words = ended_plan_words(state.plan, config_.node, now);
    if (explained.plan_words.empty())
        explained.plan_words =
            missing_contact_words(state.plan, config_.node, bundle->destination, now);
    explained.reply = explanation_json(explained.bundle, explained.explanation,
                                       {.links = state.links,
                                        .waiting_bytes = explained.waiting_bytes,
                                        .cut = state.cut,
                                        .plan_words = explained.plan_words,
                                        .silent = state.silent,
                                        .endpoint = endpoint_name_of(request)});
    return explained;
}

}  // namespace farlink::control
