// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/route_replies.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "apps/farlink/contact_json.hpp"
#include "apps/farlink/replies.hpp"

namespace farlink::app {

using nlohmann::ordered_json;

namespace {

constexpr std::array<const char *, kPriorityCount> kPriorities{"bulk", "normal", "expedited"};

const char *name_of(Priority priority) {
    return kPriorities[static_cast<std::size_t>(priority)];
}

/// A neighbour that a rule names, and the link that leads there now; null: none.
ordered_json hop_json(NodeNumber node, const bus::RouteUpdate &update) {
    ordered_json hop{{"nextHop", node.value()}, {"link", nullptr}, {"up", false}};
    const auto found = std::ranges::find(update.neighbours, node, &bus::NeighbourLink::neighbour);
    if (found == update.neighbours.end()) return hop;
    hop["link"] = found->link.value();
    hop["up"] = found->up;
    return hop;
}

ordered_json policy_json(const config::RoutingPolicy &policy, const bus::RouteUpdate &update) {
    ordered_json rule = ordered_json::object();
    if (policy.source != NodeNumber{}) rule["source"] = policy.source.value();
    if (!policy.destination.empty()) rule["destination"] = policy.destination;
    if (policy.service) rule["service"] = *policy.service;
    if (policy.priority) rule["priority"] = name_of(*policy.priority);
    if (policy.assign_priority) rule["assignPriority"] = name_of(*policy.assign_priority);
    rule["paths"] = ordered_json::array();
    for (const config::PolicyPath &path : policy.paths) {
        ordered_json hop = hop_json(path.next_hop, update);
        if (policy.spread) hop["weight"] = path.weight;
        rule["paths"].push_back(std::move(hop));
    }
    if (policy.spread) rule["spread"] = true;
    return rule;
}

/// A whole number of a request; `missing` when it is not there, nothing when it is none.
std::optional<std::uint64_t> number_in(const ordered_json &request, const char *key,
                                       std::optional<std::uint64_t> missing) {
    const auto found = request.find(key);
    if (found == request.end()) return missing;
    return found->is_number_unsigned() ? std::optional(found->get<std::uint64_t>()) : std::nullopt;
}

/// In one sentence.
std::string outcome_of(const routing::Explanation &explanation) {
    const routing::Decision &decision = explanation.decision;
    if (decision.hop.link == kNoLink) return "it waits in storage: nothing leads there";
    const std::string where = "node " + std::to_string(decision.hop.neighbour.value()) +
                              " by link " + std::to_string(decision.hop.link.value());
    if (!decision.fits) return "it waits in storage: it fits no way; the first is " + where;
    const auto taken = std::ranges::find(explanation.ways, routing::Verdict::kTaken,
                                         &routing::ExplainedWay::verdict);
    const bool up = taken != explanation.ways.end() && taken->up;
    return (up ? "it goes to " : "it waits in storage for ") + where;
}

}  // namespace

ordered_json rules_json(const config::RoutingConfig &config, const bus::RouteUpdate &update) {
    ordered_json rules{{"policies", ordered_json::array()},
                       {"routes", routes_json(update)},
                       {"staticRoutes", ordered_json::array()},
                       {"defaultGateway", nullptr},
                       {"returnToSender", config.return_to_sender}};
    for (const config::RoutingPolicy &policy : config.policies)
        rules["policies"].push_back(policy_json(policy, update));
    for (const config::StaticRoute &route : config.statics) {
        ordered_json row{{"destination", route.destination.value()}};
        row.update(hop_json(route.next_hop, update));
        rules["staticRoutes"].push_back(std::move(row));
    }
    if (config.default_gateway != NodeNumber{})
        rules["defaultGateway"] = hop_json(config.default_gateway, update);
    return rules;
}

Result<routing::BundleFacts, std::string> facts_of(const ordered_json &request,
                                                   const routing::ForwardingTable &table,
                                                   DtnTime now) {
    struct Wanted {
        const char *key;
        std::optional<std::uint64_t> missing;
        std::uint64_t value = 0;
    };
    std::array<Wanted, 6> wanted{{{"source", std::nullopt},
                                  {"destination", std::nullopt},
                                  {"service", 0},
                                  {"sizeBytes", 0},
                                  {"sender", 0},
                                  {"lifetimeSeconds", kDtnNever}}};
    for (Wanted &each : wanted) {
        const auto number = number_in(request, each.key, each.missing);
        if (!number) return fail('`' + std::string(each.key) + "`: expected a whole number");
        each.value = *number;
    }
    routing::BundleFacts facts;
    facts.source = NodeNumber{wanted[0].value};
    facts.destination = NodeNumber{wanted[1].value};
    facts.service = wanted[2].value;
    facts.size_bytes = wanted[3].value;
    facts.sender = NodeNumber{wanted[4].value};
    constexpr std::uint64_t kMillisecondsPerSecond = 1000;
    const std::uint64_t lifetime = wanted[5].value;
    if (lifetime < kDtnNever / kMillisecondsPerSecond)
        facts.expiry = saturating_add(now, lifetime * kMillisecondsPerSecond);
    const auto priority = request.find("priority");
    if (priority == request.end()) {
        facts.priority = table.priority_of(facts.source, facts.destination, facts.service);
        return facts;
    }
    const auto known = std::ranges::find_if(
        kPriorities, [&priority](const char *name) { return *priority == name; });
    if (known == kPriorities.end())
        return fail(std::string("`priority`: expected bulk, normal or expedited"));
    facts.priority = static_cast<Priority>(known - kPriorities.begin());
    return facts;
}

ordered_json explanation_json(const routing::BundleFacts &bundle,
                              const routing::Explanation &explanation) {
    ordered_json ways = ordered_json::array();
    for (const routing::ExplainedWay &way : explanation.ways) {
        ordered_json row{{"rule", to_string(way.rule)}};
        if (way.rule == routing::Rule::kPolicy) row["policy"] = way.policy + 1;
        row["nextHop"] = way.hop.neighbour.value();
        row["link"] = nullptr;
        if (way.hop.link != kNoLink) row["link"] = way.hop.link.value();
        row["up"] = way.up;
        if (way.arrival != kDtnNever) row["arrival"] = moment(way.arrival);
        if (way.room_bytes != bus::kAnyBytes) row["roomBytes"] = way.room_bytes;
        row["taken"] = way.verdict == routing::Verdict::kTaken;
        row["why"] = to_string(way.verdict);
        ways.push_back(std::move(row));
    }
    return {{"ok", true},
            {"source", bundle.source.value()},
            {"destination", bundle.destination.value()},
            {"priority", name_of(bundle.priority)},
            {"sizeBytes", bundle.size_bytes},
            {"expiry", moment(bundle.expiry)},
            {"ways", std::move(ways)},
            {"outcome", outcome_of(explanation)}};
}

}  // namespace farlink::app
