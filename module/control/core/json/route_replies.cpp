// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/route_replies.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "common/bp/eid/eid.hpp"
#include "common/buffer/contact_part.hpp"
#include "common/json/moment.hpp"
#include "module/control/core/json/contact_json.hpp"
#include "module/control/core/json/replies.hpp"

namespace farlink::control {

using nlohmann::ordered_json;

namespace {

constexpr std::array<const char *, kPriorityCount> kPriorities{"bulk", "normal", "expedited"};

using Links = std::vector<bus::LinkEntry>;

/// A link to that neighbour that the operator has taken down; null: none.
const bus::LinkEntry *disabled_link(NodeNumber node, const Links &links) {
    const auto found = std::ranges::find_if(links, [node](const bus::LinkEntry &entry) {
        return entry.neighbour == node && !entry.enabled;
    });
    return found == links.end() ? nullptr : &*found;
}

/// A neighbour that a rule names, and its link now; null: none.
ordered_json hop_json(NodeNumber node, const bus::RouteUpdate &update, const Links &links) {
    ordered_json hop{{"nextHop", node.value()}, {"link", nullptr}, {"up", false}};
    const auto found = std::ranges::find(update.neighbours, node, &bus::NeighbourLink::neighbour);
    if (found != update.neighbours.end()) {
        hop["link"] = found->link.value();
        hop["up"] = found->up;
    } else if (const bus::LinkEntry *disabled = disabled_link(node, links)) {
        hop["link"] = disabled->link.value();
        hop["enabled"] = false;
    }
    return hop;
}

ordered_json policy_json(const config::RoutingPolicy &policy, const bus::RouteUpdate &update,
                         const Links &links) {
    ordered_json rule = ordered_json::object();
    if (policy.source != NodeNumber{}) rule["source"] = policy.source.value();
    if (!policy.destination.empty()) rule["destination"] = policy.destination;
    if (policy.service) rule["service"] = *policy.service;
    if (policy.priority) rule["priority"] = name_of(*policy.priority);
    if (policy.assign_priority) rule["assignPriority"] = name_of(*policy.assign_priority);
    rule["paths"] = ordered_json::array();
    for (const config::PolicyPath &path : policy.paths) {
        ordered_json hop = hop_json(path.next_hop, update, links);
        if (policy.spread) hop["weight"] = path.weight;
        rule["paths"].push_back(std::move(hop));
    }
    if (policy.spread) rule["spread"] = true;
    if (policy.critical) rule["critical"] = true;
    return rule;
}

constexpr std::string_view kDtn = "dtn:";

/// A whole number of a request; `missing` without the key, nothing for any other value.
std::optional<std::uint64_t> number_in(const ordered_json &request, const char *key,
                                       std::optional<std::uint64_t> missing) {
    const auto found = request.find(key);
    if (found == request.end()) return missing;
    return found->is_number_unsigned() ? std::optional(found->get<std::uint64_t>()) : std::nullopt;
}

std::string where_to(const routing::NextHop &hop) {
    return "node " + std::to_string(hop.neighbour.value()) + " by link " +
           std::to_string(hop.link.value());
}

bool any_way(const routing::Explanation &explanation,
             std::initializer_list<routing::Verdict> verdicts) {
    return std::ranges::any_of(explanation.ways, [&](const routing::ExplainedWay &way) {
        return std::ranges::find(verdicts, way.verdict) != verdicts.end();
    });
}

/// The advice about unproved peers towards the destination; empty: there are none. The destination
/// itself and the next hops of the routes precede neighbours of the plan.
std::string unproved_words(NodeNumber destination, const routing::Explanation &explanation,
                           const Surroundings &around) {
    constexpr std::size_t kMaxLogged = 3;
    const auto is_way = [&](NodeNumber node) {
        return node == destination ||
               std::ranges::any_of(explanation.ways, [node](const routing::ExplainedWay &way) {
                   return way.hop.link == kNoLink && way.hop.neighbour == node;
               });
    };
    const auto is_next = [&](const UnprovedPeer &peer) {
        if (!peer.name.empty()) return peer.name == around.destination_name;
        return is_way(peer.node);
    };
    const bool direct = std::ranges::any_of(around.unproved, is_next);
    std::string words;
    std::size_t published = 0;
    for (const UnprovedPeer &peer : around.unproved) {
        const bool wanted =
            direct ? is_next(peer)
                   : std::ranges::find(around.planned, peer.node) != around.planned.end();
        if (!wanted || published++ == kMaxLogged) continue;
        words += (words.empty() ? "" : "; ") + peer.advice;
    }
    return words;
}

/// Why the bundle waits: no route is taken.
std::string reason_to_wait(NodeNumber destination, const routing::Explanation &explanation,
                           const Surroundings &around) {
    const Links &links = around.links;
    using routing::Verdict;
    if (explanation.held) return "the operator holds the bundles for its destination";
    const routing::NextHop &first = explanation.decision.hop;
    if (any_way(explanation, {Verdict::kTooLate, Verdict::kNoRoom, Verdict::kContactOver}))
        return "no route can carry the bundle" +
               (first.link == kNoLink ? "" : "; the first route is to " + where_to(first));
    if (any_way(explanation, {Verdict::kFull})) return "no contact has residual volume";
    if (any_way(explanation, {Verdict::kBackToSender, Verdict::kLinkTooSmall}))
        return "the bundle may not use any of these routes";
    if (std::string published = unproved_words(destination, explanation, around);
        !published.empty())
        return published;
    std::string words = "no rule has a route";
    if (!around.plan_words.empty()) words += "; " + around.plan_words;
    for (const bus::LinkEntry &entry : links)
        if (!entry.enabled)
            words += "; the operator has taken down link " + std::to_string(entry.link.value()) +
                     " to node " + std::to_string(entry.neighbour.value());
    return words;
}

/// Larger bundles are cut on that link: the smallest of all limits counts.
std::uint64_t cut_above(const bus::LinkEntry &link, const CutLimits &limits) {
    std::uint64_t smallest = link.max_bundle_bytes;
    const auto of_link = limits.link_bytes.find(link.link);
    for (const std::uint64_t limit :
         {limits.node_bytes, of_link == limits.link_bytes.end() ? 0 : of_link->second})
        if (limit != 0) smallest = std::min(smallest, limit);
    return smallest;
}

/// What becomes of a bundle of this size on its way; empty: it leaves whole.
std::string cut_words(const routing::ExplainedWay &way, std::uint64_t size,
                      const Surroundings &around) {
    const auto link = std::ranges::find(around.links, way.hop.link, &bus::LinkEntry::link);
    const bool may_cut = way.up && way.verdict == routing::Verdict::kTaken &&
                         link != around.links.end() && link->connected && link->fragments;
    if (!may_cut || size <= cut_above(*link, around.cut)) return {};
    return "; the bundle is cut into fragments of at most " +
           std::to_string(cut_above(*link, around.cut)) + " bytes, if the bundle may be fragmented";
}

/// The part that leaves of a bundle that is too large for the rest of the contacts; empty: none.
std::string part_words(const routing::Explanation &explanation, const Surroundings &around) {
    for (const routing::ExplainedWay &way : explanation.ways) {
        const auto link = std::ranges::find(around.links, way.hop.link, &bus::LinkEntry::link);
        if (way.up && way.verdict == routing::Verdict::kNoRoom &&
            way.room_bytes >= kLeastPartBytes && link != around.links.end() &&
            link->cuts_to_contact)
            return "; a part of at most " + std::to_string(way.room_bytes) +
                   " bytes is sent in this contact to " + where_to(way.hop) +
                   ", if the bundle may be fragmented";
    }
    return {};
}

/// Why the link to the next hop is down; empty: it is up, has no contact, or nothing is known.
std::string reason_of(const routing::NextHop &hop, const Surroundings &around) {
    const auto found = around.reasons.find(hop.link);
    return found == around.reasons.end() ? std::string() : found->second;
}

std::string critical_outcome(NodeNumber destination, const routing::Explanation &explanation,
                             const Surroundings &around) {
    std::string hops;
    for (const routing::ExplainedWay &way : explanation.ways)
        if (way.verdict == routing::Verdict::kTaken)
            hops += (hops.empty() ? "" : ", ") + where_to(way.hop) +
                    (way.up ? "" : " when the link is up");
    if (hops.empty())
        return "the bundle waits in storage: " + reason_to_wait(destination, explanation, around);
    return "the bundle is critical and is sent from storage by every route: to " + hops;
}

/// The outcome in one sentence.
std::string outcome_of(const routing::BundleFacts &bundle, const routing::Explanation &explanation,
                       const Surroundings &around) {
    if (explanation.critical) return critical_outcome(bundle.destination, explanation, around);
    const routing::Decision &decision = explanation.decision;
    if (!decision.fits)
        return "the bundle waits in storage: " +
               reason_to_wait(bundle.destination, explanation, around) +
               part_words(explanation, around);
    const auto taken = std::ranges::find(explanation.ways, routing::Verdict::kTaken,
                                         &routing::ExplainedWay::verdict);
    if (!taken->up) {
        const std::string reason = reason_of(decision.hop, around);
        return "the bundle waits in storage for " + where_to(decision.hop) +
               (reason.empty() ? "" : ", which is down: " + reason);
    }
    const std::string goes = "the bundle is sent to " + where_to(decision.hop) +
                             cut_words(*taken, bundle.size_bytes, around);
    if (const auto silent = around.silent.find(decision.hop.link); silent != around.silent.end())
        return goes + "; but " + silent->second + ", so the bundle may wait: see `alarms`";
    if (around.waiting_bytes == 0) return goes;
    return goes + "; but " + std::to_string(around.waiting_bytes) +
           " bytes of its priority wait in storage for node " +
           std::to_string(bundle.destination.value()) +
           ", so the bundle is stored first, after those for its endpoint";
}

}  // namespace

const char *name_of(Priority priority) {
    return kPriorities[static_cast<std::size_t>(priority)];
}

ordered_json rules_json(const config::RoutingConfig &config, const bus::RouteUpdate &update,
                        const std::vector<bus::LinkEntry> &links) {
    ordered_json rules{{"policies", ordered_json::array()},
                       {"routes", routes_json(update)},
                       {"staticRoutes", ordered_json::array()},
                       {"defaultGateway", nullptr},
                       {"returnToSender", config.return_to_sender}};
    for (const config::RoutingPolicy &policy : config.policies)
        rules["policies"].push_back(policy_json(policy, update, links));
    for (const config::StaticRoute &route : config.statics) {
        ordered_json row{{"destination", nullptr}};
        if (route.endpoints.empty())
            row["destination"] = route.destination.value();
        else
            row["destination"] = route.endpoints;
        row.update(hop_json(route.next_hop, update, links));
        rules["staticRoutes"].push_back(std::move(row));
    }
    if (config.default_gateway != NodeNumber{})
        rules["defaultGateway"] = hop_json(config.default_gateway, update, links);
    return rules;
}

namespace {

/// The endpoint in a request; the result borrows its text.
std::optional<routing::Destination> destination_in(const ordered_json &request,
                                                   const routing::ForwardingTable &table) {
    const auto found = request.find("destination");
    if (found == request.end() || !found->is_string()) return std::nullopt;
    const auto &text = found->get_ref<const std::string &>();
    const auto endpoint = bp::Eid::parse(text);
    if (!endpoint) return std::nullopt;
    if (endpoint->view().is_null()) return routing::Destination{};
    bp::EidView view = endpoint->view();
    if (view.scheme == bp::EidScheme::kDtn) view.name = std::string_view(text).substr(kDtn.size());
    return table.destination_of(view);
}

}  // namespace

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
                                  {"sizeBytes", 1},
                                  {"sender", 0},
                                  {"lifetimeSeconds", kDtnNever}}};
    const auto endpoint = destination_in(request, table);
    for (Wanted &each : wanted) {
        if (endpoint && &each == &wanted[1]) continue;
        const auto number = number_in(request, each.key, each.missing);
        if (!number) return fail('`' + std::string(each.key) + "`: expected a whole number");
        each.value = *number;
    }
    routing::BundleFacts facts;
    facts.source = NodeNumber{wanted[0].value};
    facts.destination = endpoint ? endpoint->node : NodeNumber{wanted[1].value};
    facts.service = endpoint ? endpoint->service : wanted[2].value;
    if (endpoint) facts.name = endpoint->name;
    facts.size_bytes = std::max<std::uint64_t>(wanted[3].value, 1);
    facts.sender = NodeNumber{wanted[4].value};
    constexpr std::uint64_t kMillisecondsPerSecond = 1000;
    const std::uint64_t lifetime = wanted[5].value;
    if (lifetime < kDtnNever / kMillisecondsPerSecond)
        facts.expiry = saturating_add(now, lifetime * kMillisecondsPerSecond);
    const auto priority = request.find("priority");
    if (priority == request.end()) {
        facts.priority =
            table.priority_of(facts.source, {facts.destination, facts.service, facts.name});
        return facts;
    }
    const auto known = std::ranges::find_if(
        kPriorities, [&priority](const char *name) { return *priority == name; });
    if (known == kPriorities.end())
        return fail(std::string("`priority`: expected bulk, normal or expedited"));
    facts.priority = static_cast<Priority>(known - kPriorities.begin());
    return facts;
}

Result<bool, std::string> asks_critical(const ordered_json &request,
                                        const routing::BundleFacts &bundle,
                                        const routing::ForwardingTable &table) {
    const auto critical = request.find("critical");
    if (critical != request.end() && !critical->is_boolean())
        return fail(std::string("`critical`: expected true or false"));
    return (critical != request.end() && *critical == true) ||
           table.is_critical(bundle.source, {bundle.destination, bundle.service, bundle.name},
                             bundle.priority);
}

ordered_json explanation_json(const routing::BundleFacts &bundle,
                              const routing::Explanation &explanation, const Surroundings &around) {
    ordered_json ways = ordered_json::array();
    for (const routing::ExplainedWay &way : explanation.ways) {
        const bus::LinkEntry *disabled =
            way.hop.link == kNoLink ? disabled_link(way.hop.neighbour, around.links) : nullptr;
        ordered_json row{{"rule", to_string(way.rule)}};
        if (way.rule == routing::Rule::kPolicy) row["policy"] = way.policy + 1;
        row["nextHop"] = way.hop.neighbour.value();
        row["link"] = nullptr;
        if (way.hop.link != kNoLink) row["link"] = way.hop.link.value();
        if (disabled != nullptr) row["link"] = disabled->link.value();
        row["up"] = way.up;
        if (disabled != nullptr) row["enabled"] = false;
        if (way.arrival != kDtnNever) row["arrival"] = moment(way.arrival);
        if (way.room_bytes != bus::kAnyBytes) row["roomBytes"] = way.room_bytes;
        row["taken"] = way.verdict == routing::Verdict::kTaken;
        row["why"] =
            std::string(to_string(way.verdict)) + cut_words(way, bundle.size_bytes, around);
        if (const std::string reason = reason_of(way.hop, around); !way.up && !reason.empty())
            row["reason"] = reason;
        if (disabled != nullptr) row["why"] = "the operator has taken its link down";
        if (way.verdict == routing::Verdict::kNoLink && disabled == nullptr &&
            std::ranges::find(around.unproved, way.hop.neighbour, &UnprovedPeer::node) !=
                around.unproved.end())
            row["why"] = "a peer claims to be the next hop, but its node id is not proved";
        ways.push_back(std::move(row));
    }
    ordered_json reply{{"ok", true},
                       {"source", bundle.source.value()},
                       {"destination", bundle.destination.value()}};
    if (!around.endpoint.empty()) reply["destinationEndpoint"] = around.endpoint;
    reply.update({{"priority", name_of(bundle.priority)},
                  {"critical", explanation.critical},
                  {"sizeBytes", bundle.size_bytes},
                  {"expiry", moment(bundle.expiry)},
                  {"waitingBytes", around.waiting_bytes},
                  {"ways", std::move(ways)},
                  {"outcome", outcome_of(bundle, explanation, around)}});
    return reply;
}

std::string reserved_outcome(const routing::BundleFacts &bundle, NodeNumber own) {
    constexpr NodeNumber kLocal{bp::kLocalNodeNumber};
    const bool to_number = bundle.name.empty();
    if (to_number && bundle.destination == NodeNumber{})
        return "the bundle is deleted: its destination is the null endpoint (dtn:none or ipn:0.S)";
    const bool to_local = to_number && bundle.destination == kLocal;
    if (!to_local && bundle.source != kLocal) return {};
    const bool made_here =
        bundle.sender == NodeNumber{} && (bundle.source == own || bundle.source == kLocal);
    if (!made_here)
        return "the bundle is deleted: its source or destination is the local node (ipn:!), and it "
               "comes from another node";
    if (to_local)
        return "the bundle is delivered at this node: ipn:!.S is service S of the node itself";
    if (bundle.destination == own) return {};
    return "the bundle is deleted: its source is the local node (ipn:!), so it must not leave this "
           "node";
}

bool needs_reasons(const routing::Explanation &explanation,
                   const std::vector<bus::LinkEntry> &links) {
    return explanation.ways.empty() ||
           std::ranges::any_of(explanation.ways, [&links](const routing::ExplainedWay &way) {
               if (way.hop.link != kNoLink) return !way.up;
               return disabled_link(way.hop.neighbour, links) == nullptr;
           });
}

namespace {

/// "dtn://seven/" of "dtn://seven/inbox" and of "dtn://seven"; empty for another text.
std::string node_part(std::string_view eid) {
    constexpr std::string_view kBegin = "dtn://";
    if (!eid.starts_with(kBegin)) return {};
    return std::string(eid.substr(0, eid.find('/', kBegin.size()))) + '/';
}

/// Adds the peers to which an induct gave no session, since nothing proves the node id that they
/// announce.
void add_refused(const ordered_json &induct, std::vector<UnprovedPeer> &peers) {
    for (const ordered_json &refused : induct.value("refused", ordered_json::array())) {
        const auto id = bp::Eid::parse(refused.value("nodeId", std::string()));
        if (!id) continue;
        const std::string advice =
            "induct " + std::to_string(induct.value("number", 0U)) +
            " refuses its neighbour: " + refused.value("reason", std::string());
        if (id->view().scheme == bp::EidScheme::kIpn)
            peers.push_back({id->view().node_number(), advice});
        else
            peers.push_back({NodeNumber{}, advice, node_part(id->to_string())});
    }
}

}  // namespace

std::vector<UnprovedPeer> unproved_peers(std::string_view links) {
    std::vector<UnprovedPeer> peers;
    const ordered_json published = ordered_json::parse(links, nullptr, false);
    if (!published.is_object()) return peers;
    for (const ordered_json &link : published.value("links", ordered_json::array())) {
        const auto node = link.find("claimedNode");
        const auto name = link.find("claimedName");
        const std::string advice = link.value("reason", std::string());
        add_refused(link, peers);
        if (link.value("proved", true) || advice.empty()) continue;
        if (node != link.end())
            peers.push_back({NodeNumber{node->get<std::uint64_t>()}, advice});
        else if (name != link.end())
            if (std::string of = node_part(name->get_ref<const std::string &>()); !of.empty())
                peers.push_back({NodeNumber{}, advice, std::move(of)});
    }
    return peers;
}

LinkReasons link_reasons(std::string_view links) {
    LinkReasons reasons;
    const ordered_json published = ordered_json::parse(links, nullptr, false);
    if (!published.is_object()) return reasons;
    for (const ordered_json &link : published.value("links", ordered_json::array())) {
        const auto number = link.find("number");
        std::string reason = link.value("reason", std::string());
        // Between two contacts a link keeps the reason of the last one.
        const bool missing = link.value("planned", false) && !link.value("connected", true);
        if (number != link.end() && missing && !reason.empty())
            reasons.emplace(LinkId{number->get<std::uint32_t>()}, std::move(reason));
    }
    return reasons;
}

std::string endpoint_name_of(const ordered_json &request) {
    const auto found = request.find("destination");
    if (found == request.end() || !found->is_string()) return {};
    const auto endpoint = bp::Eid::parse(found->get_ref<const std::string &>());
    const bool named = endpoint && endpoint->view().scheme != bp::EidScheme::kIpn;
    return named ? endpoint->to_string() : std::string();
}

std::string node_name_of(const ordered_json &request) {
    const auto found = request.find("destination");
    if (found == request.end() || !found->is_string()) return {};
    return node_part(found->get_ref<const std::string &>());
}

}  // namespace farlink::control
