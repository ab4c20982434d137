// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/plan_conditions.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "common/base/duration_words.hpp"
#include "common/config/fields/instant.hpp"
#include "module/telemetry/core/alarms/figures.hpp"

namespace farlink::telemetry {
namespace {

constexpr const char *kLoadPlan = "load a plan: farlinkctl plan replace FILE";
constexpr std::size_t kNamed = 5;  ///< destinations in a text

/// The end of the last contact; 0: the plan has none.
DtnTime end_of(const PlanFacts &plan) {
    DtnTime last = 0;
    for (const NeighbourContacts &each : plan.neighbours) last = std::max(last, each.ends);
    return last;
}

std::string waiting_text(const AlarmFacts &facts) {
    if (facts.stored_bundles == 0) return "; no bundles are waiting";
    return "; " + counted_in_groups(facts.stored_bundles, "bundle") +
           (facts.stored_bundles == 1 ? " waits" : " wait");
}

bool has_ended(const AlarmFacts &facts, DtnTime wall) {
    return facts.plan.in_force && !facts.links.empty() && end_of(facts.plan) <= wall;
}

/// 0 where the plan has no contact: a link without one is never up.
std::uint64_t remaining_bytes(const PlanFacts &plan, NodeNumber hop) {
    const auto found = std::ranges::find(plan.neighbours, hop, &NeighbourContacts::neighbour);
    return found == plan.neighbours.end() ? 0 : found->remaining_bytes;
}

/// What waits for several destinations.
struct Waiting {
    std::uint64_t bundles = 0;
    std::uint64_t bytes = 0;
    std::vector<NodeNumber> destinations{};

    void add(const WaitingFacts &more) {
        bundles += more.bundles;
        bytes += more.bytes;
        destinations.push_back(more.destination);
    }
    [[nodiscard]] std::string text() const {
        return counted_in_groups(bundles, "bundle") + " (" + octets_in_words(bytes) + ')' +
               (bundles == 1 ? " waits" : " wait");
    }
    [[nodiscard]] std::string nodes() const {
        std::string text = destinations.size() == 1 ? "node " : "nodes ";
        for (std::size_t at = 0; at < std::min(kNamed, destinations.size()); ++at)
            text += (at == 0 ? "" : ", ") + std::to_string(destinations[at].value());
        if (destinations.size() > kNamed)
            text += " and " + grouped(destinations.size() - kNamed) + " more";
        return text;
    }
};

}  // namespace

void find_plan_ends(const AlarmFacts &facts, const config::AlarmsConfig &config, DtnTime wall,
                    std::vector<Condition> &found) {
    if (!facts.plan.in_force || facts.links.empty()) return;
    const DtnTime end = end_of(facts.plan);
    if (end > config::kLastUtc) return;
    if (end <= wall) {
        const std::string text = end == 0 ? "the contact plan has no contact from this node"
                                          : "the contact plan ended at " + config::format_utc(end);
        found.push_back({AlarmName::kPlanEnded, {}, text + waiting_text(facts), kLoadPlan});
    } else if (end - wall <= config.plan_hours * kHourMs) {
        const std::string text = "the last contact of this node ends at " + config::format_utc(end);
        found.push_back({AlarmName::kPlanEndsSoon,
                         {},
                         text + ", in " + duration_in_words((end - wall) / kSecondMs),
                         kLoadPlan,
                         text});
    }
}

void find_backlog(const AlarmFacts &facts, DtnTime wall, std::vector<Condition> &found) {
    if (has_ended(facts, wall)) return;
    Waiting without_route;
    std::map<NodeNumber, Waiting> by_hop;
    for (const WaitingFacts &each : facts.waiting) {
        if (each.bundles == 0) continue;
        (each.next_hop == NodeNumber{} ? without_route : by_hop[each.next_hop]).add(each);
    }
    if (without_route.bundles > 0)
        found.push_back({AlarmName::kBacklogWithoutContact,
                         {},
                         "no route leads to " + without_route.nodes() + "; " + without_route.text(),
                         "see why: farlinkctl routes explain " +
                             std::to_string(facts.node.value()) + ' ' +
                             std::to_string(without_route.destinations.front().value()) +
                             (facts.plan.in_force
                                  ? "; then add the contact, the route or the neighbour that it "
                                    "names: farlinkctl plan add --file FILE, or `routing` and "
                                    "`neighbours` and farlinkctl reload"
                                  : "; then add a route or the neighbour that it names: `routing` "
                                    "or `neighbours` in the configuration, farlinkctl reload")});
    if (!facts.plan.in_force) return;
    for (const auto &[hop, waiting] : by_hop) {
        const std::uint64_t room = remaining_bytes(facts.plan, hop);
        if (waiting.bytes <= room) continue;
        found.push_back(
            {AlarmName::kBacklogWithoutContact,
             {.neighbour = hop},
             waiting.text() + " for node " + std::to_string(hop.value()) +
                 "; its contacts in the plan carry " + octets_in_words(room) + " from now on",
             "add contacts: farlinkctl plan add --file FILE; see the bundles: farlinkctl "
             "storage list"});
    }
}

}  // namespace farlink::telemetry
