// SPDX-License-Identifier: Apache-2.0
#include "common/routing/forwarding_explanation.hpp"

#include <algorithm>
#include <cmath>

namespace farlink::routing {
namespace {

/// Later than any time that can be told is never.
DtnTime whole(double time_ms) {
    return time_ms < static_cast<double>(kDtnNever) ? static_cast<DtnTime>(std::ceil(time_ms))
                                                    : kDtnNever;
}

}  // namespace

std::string_view to_string(Rule rule) {
    switch (rule) {
        case Rule::kPolicy:
            return "policy";
        case Rule::kPlan:
            return "plan";
        case Rule::kStaticRoute:
            return "static route";
        case Rule::kDefaultGateway:
            return "default gateway";
    }
    return {};
}

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::kTaken:
            return "taken";
        case Verdict::kLaterChoice:
            return "one before it is taken";
        case Verdict::kRuleBefore:
            return "not looked at: a rule before it knows a way";
        case Verdict::kNoLink:
            return "no link leads there";
        case Verdict::kLinkDown:
            return "its link is down";
        case Verdict::kBackToSender:
            return "it goes back to the sender";
        case Verdict::kLinkTooSmall:
            return "the link carries no bundle of this size";
        case Verdict::kNoRoom:
            return "no room: too large for what is left of its contacts";
        case Verdict::kFull:
            return "no contact of this way has room left";
        case Verdict::kContactOver:
            return "it can no longer leave in time";
        case Verdict::kTooLate:
            return "it arrives after the end of its lifetime";
        case Verdict::kOneBefore:
            return "a way before it leads to the same neighbour";
        case Verdict::kHeld:
            return "held by the operator";
    }
    return {};
}

Verdict ForwardingTable::judge(const Way &way, const BundleFacts &bundle, DtnTime now,
                               const Takes &takes) const {
    if (returns(way, bundle)) return Verdict::kBackToSender;
    if (!takes(way.hop)) return Verdict::kLinkTooSmall;
    if (fits(way, bundle, now)) return Verdict::kTaken;
    if (way.room_bytes == 0) return Verdict::kFull;
    if (bundle.size_bytes > way.room_bytes) return Verdict::kNoRoom;
    if (now > way.leave_by) return Verdict::kContactOver;
    return whole(arrival_of(way, bundle, now)) == kDtnNever ? Verdict::kFull : Verdict::kTooLate;
}

// The static route comes first where it leads to the gateway, too.
Rule ForwardingTable::fallback_rule(std::span<const Way> ways, std::size_t at,
                                    const Key &key) const {
    const auto leads_there = [&](const Way &way) { return way.hop == ways[at].hop; };
    const NodeNumber route = static_hop(key);
    const bool is_static = route != NodeNumber{} && ways[at].hop.neighbour == route &&
                           std::ranges::none_of(ways.first(at), leads_there);
    return is_static ? Rule::kStaticRoute : Rule::kDefaultGateway;
}

ExplainedWay ForwardingTable::explained(const Way &way, Rule rule, const BundleFacts &bundle,
                                    DtnTime now) const {
    ExplainedWay explained;
    explained.rule = rule;
    explained.hop = way.hop;
    explained.room_bytes = way.room_bytes;
    const bus::NeighbourLink *known = neighbour(way.hop.neighbour);
    explained.up = known != nullptr && known->up && known->link == way.hop.link;
    if (rule == Rule::kPlan) explained.arrival = whole(arrival_of(way, bundle, now));
    return explained;
}

void ForwardingTable::explain_down(const Policy &policy, Explanation &result) const {
    for (const config::PolicyPath &path : policy.rule.paths) {
        const bus::NeighbourLink *known = neighbour(path.next_hop);
        if (known != nullptr && known->up) continue;
        ExplainedWay &way = result.ways.emplace_back();
        way.rule = Rule::kPolicy;
        way.hop = {path.next_hop, known == nullptr ? kNoLink : known->link};
        way.verdict = known == nullptr ? Verdict::kNoLink : Verdict::kLinkDown;
    }
}

void ForwardingTable::explain_fallbacks(const BundleFacts &bundle, bool counts,
                                        Explanation &result) const {
    const auto add_one = [&](Rule rule, NodeNumber node) {
        const bus::NeighbourLink *known = neighbour(node);
        if (node == NodeNumber{} || (counts && known != nullptr)) return;
        ExplainedWay &way = result.ways.emplace_back();
        way.rule = rule;
        way.hop = {node, known == nullptr ? kNoLink : known->link};
        way.up = known != nullptr && known->up;
        way.verdict = known == nullptr ? Verdict::kNoLink : Verdict::kRuleBefore;
    };
    add_one(Rule::kStaticRoute, static_hop(key_of(bundle)));
    add_one(Rule::kDefaultGateway, default_gateway_);
}

const ForwardingTable::Policy *ForwardingTable::path_policy(const Key &key) const {
    const auto found = std::ranges::find_if(policies_, [&key](const Policy &each) {
        return !each.rule.paths.empty() && covers(each, key);
    });
    return found == policies_.end() ? nullptr : &*found;
}

Explanation ForwardingTable::explain(const BundleFacts &bundle, DtnTime now,
                                     const Takes &takes) const {
    const Key key = key_of(bundle);
    Explanation result;
    const Policy *policy = path_policy(key);
    Line line;
    add_policy(line, key);
    const std::size_t of_policy = line.count;
    if (policy != nullptr) explain_down(*policy, result);
    add_plan(line, key);
    const bool falls_back = line.count == 0;
    if (falls_back) add_fallbacks(line, key);
    const std::span ways(line.ways.data(), line.count);
    for (std::size_t at = 0; at < ways.size(); ++at) {
        const Way &way = ways[at];
        const Rule rule = at < of_policy ? Rule::kPolicy
                          : !falls_back  ? Rule::kPlan
                                         : fallback_rule(ways, at, key);
        ExplainedWay &row = result.ways.emplace_back(explained(way, rule, bundle, now));
        row.verdict = judge(way, bundle, now, takes);
        const bool possible =
            row.verdict != Verdict::kBackToSender && row.verdict != Verdict::kLinkTooSmall;
        if (row.verdict == Verdict::kTaken && result.decision.fits)
            row.verdict = Verdict::kLaterChoice;
        else if (row.verdict == Verdict::kTaken)
            result.decision = {way.hop, true};
        else if (possible && result.decision.hop.link == kNoLink)
            result.decision.hop = way.hop;
    }
    number_policy(policy, result);
    explain_fallbacks(bundle, falls_back, result);
    if (is_held(bundle.destination)) explain_held(result);
    return result;
}

Explanation ForwardingTable::explain_all(const BundleFacts &bundle, DtnTime now) const {
    const Key key = key_of(bundle);
    Explanation result;
    result.critical = true;
    const Policy *policy = path_policy(key);
    if (policy != nullptr) explain_down(*policy, result);
    const EveryWay every = every_way(key, false);
    std::vector<NodeNumber> reached;
    for (std::size_t at = 0; at < every.ways.size(); ++at) {
        const Way &way = every.ways[at];
        const Rule rule = every.fallback         ? fallback_rule(every.ways, at, key)
                          : at < every.of_policy ? Rule::kPolicy
                                                 : Rule::kPlan;
        ExplainedWay &row = result.ways.emplace_back(explained(way, rule, bundle, now));
        row.verdict = judge(way, bundle, now, [](const NextHop &) { return true; });
        if (row.verdict != Verdict::kTaken) continue;
        if (std::ranges::count(reached, way.hop.neighbour) > 0) row.verdict = Verdict::kOneBefore;
        reached.push_back(way.hop.neighbour);
    }
    number_policy(policy, result);
    explain_fallbacks(bundle, every.fallback, result);
    if (is_held(bundle.destination)) explain_held(result);
    return result;
}

// Those that it would have otherwise.
void ForwardingTable::explain_held(Explanation &result) {
    for (ExplainedWay &way : result.ways) way.verdict = Verdict::kHeld;
    result.decision = {};
    result.held = true;
}

void ForwardingTable::number_policy(const Policy *policy, Explanation &result) const {
    for (ExplainedWay &way : result.ways)
        if (way.rule == Rule::kPolicy)
            way.policy = static_cast<std::size_t>(policy - policies_.data());
}

}  // namespace farlink::routing
