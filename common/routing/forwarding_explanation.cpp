// SPDX-License-Identifier: Apache-2.0
#include "common/routing/forwarding_explanation.hpp"

#include <algorithm>
#include <cmath>

namespace farlink::routing {

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
        case Verdict::kContactOver:
            return "it can no longer leave in time";
        case Verdict::kTooLate:
            return "it arrives after the end of its lifetime";
    }
    return {};
}

Verdict ForwardingTable::judge(const Way &way, const BundleFacts &bundle, DtnTime now,
                               const Takes &takes) const {
    if (returns(way, bundle)) return Verdict::kBackToSender;
    if (!takes(way.hop)) return Verdict::kLinkTooSmall;
    if (fits(way, bundle, now)) return Verdict::kTaken;
    if (bundle.size_bytes > way.room_bytes) return Verdict::kNoRoom;
    return now > way.leave_by ? Verdict::kContactOver : Verdict::kTooLate;
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
    const auto route = statics_.find(bundle.destination);
    if (route != statics_.end()) add_one(Rule::kStaticRoute, route->second);
    add_one(Rule::kDefaultGateway, default_gateway_);
}

Explanation ForwardingTable::explain(const BundleFacts &bundle, DtnTime now,
                                     const Takes &takes) const {
    const Key key{bundle.source, bundle.destination, bundle.service, bundle.priority};
    Explanation result;
    const auto policy = std::ranges::find_if(policies_, [&key](const Policy &each) {
        return !each.rule.paths.empty() && covers(each, key);
    });
    Line line;
    add_policy(line, key);
    const std::size_t of_policy = line.count;
    if (policy != policies_.end()) explain_down(*policy, result);
    add_plan(line, key);
    const bool falls_back = line.count == 0;
    if (falls_back) add_fallbacks(line, key);
    const auto route = statics_.find(bundle.destination);
    bool first_static = route != statics_.end();
    for (std::size_t at = 0; at < line.count; ++at) {
        const Way &way = line.ways[at];
        ExplainedWay &told = result.ways.emplace_back();
        told.hop = way.hop;
        told.room_bytes = way.room_bytes;
        const bus::NeighbourLink *known = neighbour(way.hop.neighbour);
        told.up = known != nullptr && known->up && known->link == way.hop.link;
        told.verdict = judge(way, bundle, now, takes);
        if (at < of_policy) {
            told.rule = Rule::kPolicy;
        } else if (!falls_back) {
            told.arrival = static_cast<DtnTime>(std::ceil(arrival_of(way, bundle, now)));
        } else {
            const bool is_static = first_static && way.hop.neighbour == route->second;
            told.rule = is_static ? Rule::kStaticRoute : Rule::kDefaultGateway;
            first_static = first_static && !is_static;
        }
        const bool possible =
            told.verdict != Verdict::kBackToSender && told.verdict != Verdict::kLinkTooSmall;
        if (told.verdict == Verdict::kTaken && result.decision.fits)
            told.verdict = Verdict::kLaterChoice;
        else if (told.verdict == Verdict::kTaken)
            result.decision = {way.hop, true};
        else if (possible && result.decision.hop.link == kNoLink)
            result.decision.hop = way.hop;
    }
    for (ExplainedWay &way : result.ways)
        if (way.rule == Rule::kPolicy)
            way.policy = static_cast<std::size_t>(policy - policies_.begin());
    explain_fallbacks(bundle, falls_back, result);
    return result;
}

}  // namespace farlink::routing
