// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/link_conditions.hpp"

#include <algorithm>
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

std::string check_peer(const LinkFacts &link) {
    return "check the address, and that the neighbour runs: its own farlinkctl status prints where "
           "it listens; if the link is not needed: farlinkctl link down " +
           std::to_string(link.link.value());
}

/// This node does not open a session that its neighbour opens.
std::string look_at_neighbour(const LinkFacts &link) {
    return "the neighbour opens this session: check that node " +
           std::to_string(link.neighbour.value()) +
           " runs, and see on its side why its link to this node is down: farlinkctl links";
}

/// While the light time is too short, a ping is lost with the link.
std::string try_light_time(const LinkFacts &link) {
    return "check that the neighbour runs and that its datagrams arrive; if its reports arrive too "
           "late (reports_unknown_session in farlinkctl metrics), try a larger one-way light time: "
           "farlinkctl link set " +
           std::to_string(link.link.value()) + " --owlt SECONDS";
}

/// The neighbour decides when it opens the session, so one is missed only while the plan has a
/// contact for it and this node cannot connect by itself.
bool is_expected(const LinkFacts &link, const AlarmFacts &facts, DtnTime wall) {
    if (!link.opened_by_neighbour) return true;
    const auto outduct = [&](const LinkFacts &other) {
        return !other.opened_by_neighbour && other.neighbour == link.neighbour;
    };
    const auto contact = [&](const NeighbourContacts &each) {
        return each.neighbour == link.neighbour && each.ends > wall;
    };
    return facts.plan.in_force && std::ranges::any_of(facts.plan.neighbours, contact) &&
           std::ranges::none_of(facts.links, outduct);
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
        if (config.missed_seconds == 0) continue;
        // A neighbour closes its session when this node refuses its bundles: `storage-full`. The
        // storage may also be full because the session is missing.
        const bool needless =
            link.opened_by_neighbour && facts.storage_full && !state.outages.any();
        if (needless || !is_expected(link, facts, wall))
            state.outages = {};
        else
            find_missing(link, link.connected || reached.contains(link.neighbour),
                         config.missed_seconds * kSecondMs, wall, state, found);
    }
    std::erase_if(states_, [&](const auto &each) { return !present.contains(each.first); });
}

void LinkConditions::Outages::look(bool missing, DtnTime lasting, DtnTime wall) {
    if (missing) {
        if (count_ == 0) first_ = wall;
        if (since_ == 0) {
            since_ = wall;
            ++count_;
        }
        lasted_ = lasted_ || wall - since_ >= lasting;
        return;
    }
    if (since_ != 0) over_since_ = wall;
    since_ = 0;
    if (!lasted_ || wall - over_since_ >= lasting) *this = {};
}

void LinkConditions::find_missing(const LinkFacts &link, bool reached, DtnTime lasting,
                                  DtnTime wall, State &state, std::vector<Condition> &found) {
    Outages &outages = state.outages;
    if (!link.open) outages = {};
    outages.look(link.open && !reached, lasting, wall);
    if (!outages.any()) return;
    const AlarmSubject subject{.link = link.link, .neighbour = link.neighbour};
    if (outages.since() == 0)
        return found.push_back({AlarmName::kLinkMissesContact, subject,
                                text_when_over(link, outages),
                                "no action is needed if the link stays connected; see the reasons: "
                                "farlinkctl events"});
    found.push_back(
        {AlarmName::kLinkMissesContact, subject, text_of(link, outages), action_for(link, state)});
}

std::string LinkConditions::text_of(const LinkFacts &link, const Outages &outages) {
    const std::string at = link.address.empty() ? "" : " at " + link.address;
    std::string text = link.opened_by_neighbour ? "node " + std::to_string(link.neighbour.value()) +
                                                      " has had no session to this node"
                                                : link_text(link) + at + " has been disconnected";
    text += " since " + config::format_utc(outages.since()) + ", although its contact is open";
    if (!link.ends.empty()) text += " until " + link.ends;
    if (!link.reason.empty()) text += ": " + link.reason;
    if (outages.count() > 1)
        text += "; " + counted_in_groups(outages.count(), "outage") + " since " +
                config::format_utc(outages.first());
    return text;
}

std::string LinkConditions::text_when_over(const LinkFacts &link, const Outages &outages) {
    return link_text(link) + " has been connected again since " +
           config::format_utc(outages.over_since()) + ", after " +
           counted_in_groups(outages.count(), "outage") + " since " +
           config::format_utc(outages.first());
}

// A neighbour that refuses one bundle after the other has answered, and one that does not
// acknowledge has had a link.
std::string LinkConditions::action_for(const LinkFacts &link, const State &state) {
    if (state.refused.since() != 0) return ask_neighbour(link);
    if (state.unacknowledged.since() != 0) return try_light_time(link);
    return link.opened_by_neighbour ? look_at_neighbour(link) : check_peer(link);
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
    if (config.refused_seconds > 0 && state.refused.since() != 0)
        found.push_back({AlarmName::kNeighbourRefuses,
                         {.link = link.link, .neighbour = link.neighbour},
                         "the neighbour of " + link_text(link) + " has refused " +
                             counted_in_groups(state.refused.since_taken(), "bundle") +
                             " and accepted none since " +
                             config::format_utc(state.refused.since()),
                         ask_neighbour(link)});
    if (config.missed_seconds == 0 || state.unacknowledged.since() == 0) return;
    found.push_back({AlarmName::kNoAcknowledgements,
                     {.link = link.link, .neighbour = link.neighbour},
                     link_text(link) + " has sent bundles " +
                         counted_in_groups(state.unacknowledged.since_taken(), "time") +
                         " and received no acknowledgement since " +
                         config::format_utc(state.unacknowledged.since()),
                     try_light_time(link)});
}

}  // namespace farlink::telemetry
