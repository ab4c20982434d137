// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/plan/plan_advice.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <ranges>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/farlinkctl/plan/plan_text.hpp"
#include "common/plan/repeats.hpp"

namespace farlink::ctl {
namespace {

using config::ConfigErrors;
using config::ContactPlan;
using config::PlanContact;
using Contacts = std::vector<const PlanContact *>;

std::string name(NodeNumber node) {
    return "node " + std::to_string(node.value());
}

std::string name(const Direction &direction) {
    return "from " + name(direction.first) + " to " + name(direction.second);
}

std::string name(const PlanContact &contact) {
    return "contact " + std::to_string(contact.id);
}

/// "contact 3", or "contact 3 and 5 more"
std::string name(const PlanContact &first, std::size_t count) {
    return name(first) + (count > 1 ? " and " + std::to_string(count - 1) + " more" : "");
}

/// The earliest arrival at each node of a bundle that is at `start` when the plan begins. A bundle
/// may use a contact until it ends. Each node is expanded once, in the order of arrival, so that
/// the time grows with contacts times the logarithm of nodes.
std::unordered_map<NodeNumber, DtnTime> earliest_arrivals(const ContactPlan &plan,
                                                          NodeNumber start) {
    std::unordered_map<NodeNumber, Contacts> from;
    for (const PlanContact &contact : plan.contacts) from[contact.source].push_back(&contact);
    std::unordered_map<NodeNumber, DtnTime> arrivals;
    using Arrival = std::pair<DtnTime, NodeNumber>;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> next;
    next.emplace(0, start);
    while (!next.empty()) {
        const auto [at, node] = next.top();
        next.pop();
        if (!arrivals.emplace(node, at).second) continue;
        for (const PlanContact *contact : from[node]) {
            const std::uint64_t place = config::repeats_ended_at(*contact, at);
            if (place == config::repeat_count(*contact) || arrivals.contains(contact->destination))
                continue;
            const auto owlt = static_cast<std::uint64_t>(contact->owlt / milliseconds(1));
            const DtnTime begins = contact->start + place * contact->repeat;
            next.emplace(std::max(at, begins) + owlt, contact->destination);
        }
    }
    return arrivals;
}

void warn_of_unreachable(const ContactPlan &plan, NodeNumber node, ConfigErrors &warnings) {
    const auto arrivals = earliest_arrivals(plan, node);
    std::map<NodeNumber, Contacts> missed;
    for (const PlanContact &contact : plan.contacts) {
        const auto arrival = arrivals.find(contact.source);
        if (arrival == arrivals.end() || arrival->second >= config::last_end(contact))
            missed[contact.source].push_back(&contact);
    }
    for (const auto &[source, contacts] : missed)
        warnings.add({name(*contacts.front(), contacts.size()),
                      "no bundle from " + name(node) + " reaches " + name(source) +
                          (contacts.size() > 1 ? " before they end" : " before it ends"),
                      "", "only other nodes can use it"});
}

void warn_of_outduct(const config::OutductConfig &outduct, const std::string &path,
                     const Contacts &contacts, ConfigErrors &warnings) {
    const auto warn = [&](const Contacts &odd, const char *key, const std::string &found,
                          const std::string &promised, const char *hint) {
        if (odd.empty()) return;
        warnings.add({config::member_path(path, key),
                      found + ", but " + name(*odd.front(), odd.size()) + " to " +
                          name(outduct.next_hop) + " has " + promised,
                      "", hint});
    };
    Contacts farther;
    Contacts faster;
    for (const PlanContact *contact : contacts) {
        if (outduct.url.scheme == "ltp" && contact->owlt != Duration{} &&
            contact->owlt != outduct.ltp.owlt)
            farther.push_back(contact);
        const bool limited = outduct.rate_limit.value() != 0 && contact->rate.value() != 0;
        if (limited && contact->rate > outduct.rate_limit) faster.push_back(contact);
    }
    if (!farther.empty())
        warn(farther, "oneWayLightTimeMs", owlt_text(outduct.ltp.owlt),
             owlt_text(farther.front()->owlt),
             "the value of the contact applies while it is open; check which one is correct");
    if (!faster.empty())
        warn(faster, "rateLimitBitsPerSec", rate_text(outduct.rate_limit),
             rate_text(faster.front()->rate),
             "the lower rate applies, but routes are computed with the rate of the contact");
}

}  // namespace

void warn_of_plan(const ContactPlan &plan, DtnTime now, ConfigErrors &warnings) {
    if (plan.contacts.empty()) {
        warnings.add({"", "no contacts: no link is ever up", "", ""});
        return;
    }
    const DtnTime last = std::ranges::max(plan.contacts | std::views::transform(config::last_end));
    if (plan.absolute && last <= now)
        warnings.add({"", "the last contact ended at " + moment_text(plan, last), "",
                      "no link will be up again"});
    std::set<Direction> directions;
    for (const PlanContact &contact : plan.contacts)
        directions.emplace(contact.source, contact.destination);
    for (const Direction &direction : directions)
        if (!directions.contains({direction.second, direction.first}))
            warnings.add({"",
                          name(direction) + " there are contacts, but none in the other direction",
                          "", "reports and custody signals have no route"});
}

void warn_of_node(const ContactPlan &plan, const config::NodeConfig &node, ConfigErrors &warnings) {
    const auto directions = by_direction(plan, node.node.value());
    if (directions.empty()) {
        warnings.add({"", name(node.node) + " has no contact", "",
                      "check that the plan belongs to this node"});
        return;
    }
    std::set<NodeNumber> linked;
    for (const config::InductConfig &induct : node.inducts)
        for (const config::NeighbourAddress &neighbour : induct.neighbours)
            linked.insert(neighbour.node);
    for (std::size_t i = 0; i < node.outducts.size(); ++i) {
        const config::OutductConfig &outduct = node.outducts[i];
        const std::string path = config::item_path("outductsConfig", i);
        const auto found = directions.find({node.node, outduct.next_hop});
        linked.insert(outduct.next_hop);
        if (found == directions.end())
            warnings.add({path, "no contact " + name({node.node, outduct.next_hop}), "",
                          "the link is never up"});
        else
            warn_of_outduct(outduct, path, found->second, warnings);
    }
    for (const auto &[direction, contacts] : directions)
        if (direction.first == node.node && !linked.contains(direction.second))
            warnings.add({name(*contacts.front(), contacts.size()),
                          "no outduct leads to " + name(direction.second), "",
                          "a link exists only while that node has a session with this one"});
    warn_of_unreachable(plan, node.node, warnings);
}

}  // namespace farlink::ctl
