// SPDX-License-Identifier: Apache-2.0
#include "common/routing/forwarding_explanation.hpp"

#include <algorithm>
#include <cmath>

namespace farlink::routing {
namespace {

/// The next whole millisecond; kDtnNever beyond the range of DtnTime.
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
            return "an earlier route is taken";
        case Verdict::kRuleBefore:
            return "not evaluated: an earlier rule has a route";
        case Verdict::kNoLink:
            return "no link to the next hop";
        case Verdict::kLinkDown:
            return "its link is down";
        case Verdict::kBackToSender:
            return "the next hop is the sender of the bundle";
        case Verdict::kLinkTooSmall:
            return "the bundle is larger than the link accepts";
        case Verdict::kNoRoom:
            return "the bundle is larger than the residual volume of the contacts";
        case Verdict::kFull:
            return "the contacts of this route have no residual volume";
        case Verdict::kContactOver:
            return "the bundle cannot be sent before the contact ends";
        case Verdict::kTooLate:
            return "the bundle would arrive after its lifetime has expired";
        case Verdict::kOneBefore:
            return "an earlier route has the same next hop";
        case Verdict::kHeld:
            return "held by the operator";
    }
    return {};
}

/// Evaluates the ways of a bundle as ForwardingTable does, and keeps those that are not taken.
class ForwardingExplainer {
public:
    ForwardingExplainer(const ForwardingTable &table, const BundleFacts &bundle, DtnTime now)
        : table_(table), bundle_(bundle), now_(now), key_(table.key_of(bundle)) {}

    [[nodiscard]] Explanation explain(const Takes &takes) const;
    [[nodiscard]] Explanation explain_all() const;

private:
    using Line = ForwardingTable::Line;
    using Policy = ForwardingTable::Policy;
    using Way = ForwardingTable::Way;

    [[nodiscard]] Verdict judge(const Way &way, const Takes &takes) const;
    [[nodiscard]] Rule fallback_rule(std::span<const Way> ways, std::size_t at) const;
    [[nodiscard]] ExplainedWay explained(const Way &way, Rule rule) const;
    void explain_way(const Way &way, Rule rule, const Takes &takes, Explanation &result) const;
    [[nodiscard]] const Policy *path_policy() const;
    void explain_down(const Policy &policy, Explanation &result) const;
    /// `counts`: those with a link are ways of the line already.
    void explain_fallbacks(bool counts, Explanation &result) const;
    void number_policy(const Policy *policy, Explanation &result) const;
    static void explain_held(Explanation &result);

    const ForwardingTable &table_;
    const BundleFacts &bundle_;
    DtnTime now_;
    ForwardingTable::Key key_;
};

Verdict ForwardingExplainer::judge(const Way &way, const Takes &takes) const {
    if (table_.returns(way, bundle_)) return Verdict::kBackToSender;
    if (!takes(way.hop)) return Verdict::kLinkTooSmall;
    if (table_.fits(way, bundle_, now_)) return Verdict::kTaken;
    if (way.room_bytes == 0) return Verdict::kFull;
    if (bundle_.size_bytes > way.room_bytes) return Verdict::kNoRoom;
    if (now_ > way.leave_by) return Verdict::kContactOver;
    return whole(table_.arrival_of(way, bundle_, now_)) == kDtnNever ? Verdict::kFull
                                                                     : Verdict::kTooLate;
}

// The static route precedes the gateway, also if both lead to one neighbour.
Rule ForwardingExplainer::fallback_rule(std::span<const Way> ways, std::size_t at) const {
    const auto leads_there = [&](const Way &way) { return way.hop == ways[at].hop; };
    const NodeNumber route = table_.static_hop(key_);
    const bool is_static = route != NodeNumber{} && ways[at].hop.neighbour == route &&
                           std::ranges::none_of(ways.first(at), leads_there);
    return is_static ? Rule::kStaticRoute : Rule::kDefaultGateway;
}

ExplainedWay ForwardingExplainer::explained(const Way &way, Rule rule) const {
    ExplainedWay explained;
    explained.rule = rule;
    explained.hop = way.hop;
    explained.room_bytes = way.room_bytes;
    const bus::NeighbourLink *known = table_.neighbour(way.hop.neighbour);
    explained.up = known != nullptr && known->up && known->link == way.hop.link;
    if (rule == Rule::kPlan) explained.arrival = whole(table_.arrival_of(way, bundle_, now_));
    return explained;
}

void ForwardingExplainer::explain_down(const Policy &policy, Explanation &result) const {
    for (const config::PolicyPath &path : policy.rule.paths) {
        const bus::NeighbourLink *known = table_.neighbour(path.next_hop);
        if (known != nullptr && known->up) continue;
        ExplainedWay &way = result.ways.emplace_back();
        way.rule = Rule::kPolicy;
        way.hop = {path.next_hop, known == nullptr ? kNoLink : known->link};
        way.verdict = known == nullptr ? Verdict::kNoLink : Verdict::kLinkDown;
    }
}

void ForwardingExplainer::explain_fallbacks(bool counts, Explanation &result) const {
    const auto add_one = [&](Rule rule, NodeNumber node) {
        const bus::NeighbourLink *known = table_.neighbour(node);
        if (node == NodeNumber{} || (counts && known != nullptr)) return;
        ExplainedWay &way = result.ways.emplace_back();
        way.rule = rule;
        way.hop = {node, known == nullptr ? kNoLink : known->link};
        way.up = known != nullptr && known->up;
        way.verdict = known == nullptr ? Verdict::kNoLink : Verdict::kRuleBefore;
    };
    add_one(Rule::kStaticRoute, table_.static_hop(key_));
    add_one(Rule::kDefaultGateway, table_.default_gateway_);
}

const ForwardingTable::Policy *ForwardingExplainer::path_policy() const {
    const auto found = std::ranges::find_if(table_.policies_, [&](const Policy &each) {
        return !each.rule.paths.empty() && table_.covers(each, key_);
    });
    return found == table_.policies_.end() ? nullptr : &*found;
}

void ForwardingExplainer::explain_way(const Way &way, Rule rule, const Takes &takes,
                                      Explanation &result) const {
    ExplainedWay &row = result.ways.emplace_back(explained(way, rule));
    row.verdict = judge(way, takes);
    const bool possible =
        row.verdict != Verdict::kBackToSender && row.verdict != Verdict::kLinkTooSmall;
    if (row.verdict == Verdict::kTaken && result.decision.fits)
        row.verdict = Verdict::kLaterChoice;
    else if (row.verdict == Verdict::kTaken)
        result.decision = {way.hop, true};
    else if (possible && result.decision.hop.link == kNoLink)
        result.decision.hop = way.hop;
}

Explanation ForwardingExplainer::explain(const Takes &takes) const {
    Explanation result;
    const Policy *policy = path_policy();
    Line line;
    table_.add_policy(line, key_);
    const std::size_t of_policy = line.count;
    if (policy != nullptr) explain_down(*policy, result);
    table_.add_plan(line, key_);
    const std::size_t of_rules = line.count;
    for (std::size_t at = 0; at < of_rules; ++at)
        explain_way(line.ways[at], at < of_policy ? Rule::kPolicy : Rule::kPlan, takes, result);
    // The ways of the policy are no ways of this bundle, and the plan has none.
    const bool falls_back = of_rules == of_policy && result.decision.hop.link == kNoLink;
    if (falls_back) table_.add_fallbacks(line, key_);
    const std::span fallbacks(line.ways.data() + of_rules, line.count - of_rules);
    for (std::size_t at = 0; at < fallbacks.size(); ++at)
        explain_way(fallbacks[at], fallback_rule(fallbacks, at), takes, result);
    number_policy(policy, result);
    explain_fallbacks(falls_back, result);
    if (table_.is_held(bundle_.destination)) explain_held(result);
    return result;
}

Explanation ForwardingExplainer::explain_all() const {
    Explanation result;
    result.critical = true;
    const Policy *policy = path_policy();
    if (policy != nullptr) explain_down(*policy, result);
    const auto every = table_.every_way(bundle_, false);
    const std::span others = std::span(every.ways).subspan(every.of_policy);
    std::vector<NodeNumber> reached;
    for (std::size_t at = 0; at < every.ways.size(); ++at) {
        const Way &way = every.ways[at];
        const Rule rule = at < every.of_policy ? Rule::kPolicy
                          : every.fallback     ? fallback_rule(others, at - every.of_policy)
                                               : Rule::kPlan;
        ExplainedWay &row = result.ways.emplace_back(explained(way, rule));
        row.verdict = judge(way, [](const NextHop &) { return true; });
        if (row.verdict != Verdict::kTaken) continue;
        if (std::ranges::count(reached, way.hop.neighbour) > 0) row.verdict = Verdict::kOneBefore;
        reached.push_back(way.hop.neighbour);
    }
    number_policy(policy, result);
    explain_fallbacks(every.fallback, result);
    if (table_.is_held(bundle_.destination)) explain_held(result);
    return result;
}

// The ways are those without the hold.
void ForwardingExplainer::explain_held(Explanation &result) {
    for (ExplainedWay &way : result.ways) way.verdict = Verdict::kHeld;
    result.decision = {};
    result.held = true;
}

void ForwardingExplainer::number_policy(const Policy *policy, Explanation &result) const {
    for (ExplainedWay &way : result.ways)
        if (way.rule == Rule::kPolicy)
            way.policy = static_cast<std::size_t>(policy - table_.policies_.data());
}

Explanation explain(const ForwardingTable &table, const BundleFacts &bundle, DtnTime now,
                    const Takes &takes) {
    return ForwardingExplainer(table, bundle, now).explain(takes);
}

Explanation explain_all(const ForwardingTable &table, const BundleFacts &bundle, DtnTime now) {
    return ForwardingExplainer(table, bundle, now).explain_all();
}

}  // namespace farlink::routing
