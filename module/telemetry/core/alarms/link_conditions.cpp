// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/link_conditions.hpp"

#include <set>

#include "common/config/fields/instant.hpp"
#include "module/telemetry/core/alarms/figures.hpp"

namespace farlink::telemetry {
namespace {

/// Between two attempts of a link that backs off nothing waits in egress, and none is refused.
constexpr DtnTime kQuietMs = 120'000;

std::string link_text(const LinkFacts &link) {
    std::string text = "link " + std::to_string(link.link.value());
    if (link.neighbour != NodeNumber{})
        text += " to node " + std::to_string(link.neighbour.value());
    return text;
}

std::string ask_neighbour(const LinkFacts &link) {
    return "ask the operator of the neighbour about its storage and drain mode; see the counters: "
           "farlinkctl show /api/v1/links/" +
           std::to_string(link.link.value());
}

/// Without a contact plan the light time is that of the configuration.
std::string compare_light_time(const LinkFacts &link) {
    const std::string node =
        link.neighbour == NodeNumber{} ? "NODE" : std::to_string(link.neighbour.value());
    return "check that the neighbour runs and that its datagrams arrive; compare twice the light "
           "time of farlinkctl status with the round trip of farlinkctl ping " +
           node;
}

}  // namespace

void LinkConditions::find(const AlarmFacts &facts, const config::AlarmsConfig &config, DtnTime wall,
                          std::vector<Condition> &found) {
    // A neighbour may open the session itself: its outduct then has nothing to do.
    std::set<NodeNumber> reached;
    std::set<LinkId> present;
    for (const LinkFacts &link : facts.links) {
        present.insert(link.link);
        if (link.open && link.connected && link.neighbour != NodeNumber{})
            reached.insert(link.neighbour);
    }
    for (const LinkFacts &link : facts.links) {
        State &state = states_[link.link];
        find_failures(link, config, facts.refused_now > 0, wall, state, found);
        if (config.missed_seconds > 0)
            find_missing(link, reached.contains(link.neighbour), wall, state, found);
    }
    std::erase_if(states_, [&](const auto &each) { return !present.contains(each.first); });
}

void LinkConditions::find_missing(const LinkFacts &link, bool replaced, DtnTime wall, State &state,
                                  std::vector<Condition> &found) {
    if (!link.open || link.connected || replaced) {
        state.missing_since = 0;
        return;
    }
    if (state.missing_since == 0) state.missing_since = wall;
    std::string text = link_text(link) + " has not been connected since " +
                       config::format_utc(state.missing_since) + ", although its contact is open";
    if (!link.ends.empty()) text += " until " + link.ends;
    if (!link.reason.empty()) text += ": " + link.reason;
    // A neighbour that refuses one bundle after the other has answered.
    std::string action = state.refused.since() != 0
                             ? ask_neighbour(link)
                             : "check the peer and the address: farlinkctl links; if the link is "
                               "not needed: farlinkctl link down " +
                                   std::to_string(link.link.value());
    found.push_back({AlarmName::kLinkMissesContact,
                     {.link = link.link, .neighbour = link.neighbour},
                     std::move(text),
                     std::move(action)});
}

// Such bundles are offered again with growing pauses, so only a bundle that the neighbour takes,
// or that none waits any more, ends the condition.
void LinkConditions::Failures::look(std::uint64_t count, bool taken, bool waits, DtnTime wall) {
    const bool more = count > count_;
    if (!known_ || taken || count < count_ ||
        (!waits && !more && since_ != 0 && wall - last_ > kQuietMs)) {
        before_ = count;
        since_ = 0;
    } else if (more && since_ == 0) {
        since_ = wall;
    }
    if (more) last_ = wall;
    known_ = true;
    count_ = count;
}

void LinkConditions::find_failures(const LinkFacts &link, const config::AlarmsConfig &config,
                                   bool any_waits, DtnTime wall, State &state,
                                   std::vector<Condition> &found) {
    const bool taken = link.sent > state.sent;
    state.sent = link.sent;
    state.refused.look(link.refused, taken, any_waits, wall);
    state.unacknowledged.look(link.unacknowledged, taken, any_waits, wall);
    // An outduct by the port of an LTP induct returns unacknowledged bundles as refused.
    if (config.refused_seconds > 0 && state.refused.since() != 0)
        found.push_back({AlarmName::kNeighbourRefuses,
                         {.link = link.link, .neighbour = link.neighbour},
                         "the neighbour of " + link_text(link) + " has refused" +
                             (link.ltp ? " or not acknowledged " : " ") +
                             counted(state.refused.since_taken(), "bundle") +
                             " and accepted none since " +
                             config::format_utc(state.refused.since()),
                         link.ltp ? compare_light_time(link) + "; then " + ask_neighbour(link)
                                  : ask_neighbour(link)});
    if (config.missed_seconds == 0 || state.unacknowledged.since() == 0) return;
    found.push_back({AlarmName::kNoAcknowledgements,
                     {.link = link.link, .neighbour = link.neighbour},
                     link_text(link) + " has sent bundles " +
                         counted(state.unacknowledged.since_taken(), "time") +
                         " and got no acknowledgement since " +
                         config::format_utc(state.unacknowledged.since()),
                     compare_light_time(link)});
}

}  // namespace farlink::telemetry
