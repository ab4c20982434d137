// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/remaining_contacts.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "common/config/fields/instant.hpp"
#include "common/json/moment.hpp"
#include "common/plan/repeats.hpp"
#include "module/control/core/json/contact_json.hpp"

namespace farlink::control {
namespace {

constexpr double kBitsPerOctet = 8;
constexpr double kMillisecondsPerSecond = 1000;
/// Doubles above it are no 64-bit numbers.
constexpr double kMostOctets = static_cast<double>(std::numeric_limits<std::int64_t>::max());
constexpr std::size_t kNamedSources = 3;

double octets_of(const config::PlanContact &contact, DtnTime now) {
    const std::uint64_t ended = config::repeats_ended_at(contact, now);
    const std::uint64_t left = config::repeat_count(contact) - ended;
    if (left == 0) return 0;
    const config::PlanContact next = config::repeat_of(contact, ended);
    const double open = static_cast<double>(next.end - std::max(next.start, now)) +
                        static_cast<double>(left - 1) * static_cast<double>(next.end - next.start);
    return open / kMillisecondsPerSecond * static_cast<double>(contact.rate.value()) /
           kBitsPerOctet;
}

}  // namespace

void RemainingContacts::search(const SharedPlan &plan) {
    neighbours_.clear();
    plan_ = plan;
    if (!plan) return;
    for (const config::PlanContact &contact : *plan)
        if (contact.source == node_) neighbours_[contact.destination].contacts.push_back(contact);
    for (auto &[node, neighbour] : neighbours_) {
        std::ranges::sort(neighbour.contacts, {}, config::last_end);
        neighbour.ends = config::last_end(neighbour.contacts.back());
    }
}

nlohmann::ordered_json RemainingContacts::to_json(const SharedPlan &plan, DtnTime now) {
    if (plan != plan_) search(plan);
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (auto &[node, neighbour] : neighbours_) {
        auto &contacts = neighbour.contacts;
        const auto first = std::ranges::upper_bound(contacts, now, {}, config::last_end);
        bool unlimited = false;
        double octets = 0;
        for (auto each = first; each != contacts.end(); ++each) {
            unlimited |= each->rate.value() == 0 || config::repeat_count(*each) == config::kEndless;
            octets += octets_of(*each, now);
        }
        nlohmann::ordered_json row{{"neighbour", node.value()}, {"ends", moment(neighbour.ends)}};
        if (!unlimited)
            row["remainingBytes"] = static_cast<std::uint64_t>(std::min(octets, kMostOctets));
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string ended_plan_words(const SharedPlan &plan, NodeNumber node, DtnTime now) {
    if (!plan) return {};
    DtnTime last = 0;
    std::size_t count = 0;
    for (const config::PlanContact &contact : *plan) {
        if (contact.source != node) continue;
        last = std::max(last, config::last_end(contact));
        ++count;
    }
    if (count == 0 || last > now) return {};
    return "the contact plan ended at " + config::format_utc(last) + ": " + std::to_string(count) +
           (count == 1 ? " contact of this node is past" : " contacts of this node are past");
}

std::string missing_contact_words(const SharedPlan &plan, NodeNumber node, NodeNumber destination,
                                  DtnTime now) {
    if (!plan || destination == NodeNumber{}) return {};
    std::set<NodeNumber> sources;
    for (const config::PlanContact &contact : *plan)
        if (contact.destination == destination && config::last_end(contact) > now)
            sources.insert(contact.source);
    const std::string to = std::to_string(destination.value());
    if (sources.empty()) return "the contact plan has no contact to node " + to;
    if (sources.contains(node)) return {};
    std::string from;
    std::size_t named = 0;
    for (const NodeNumber source : sources)
        if (named++ < kNamedSources)
            from += (from.empty() ? "" : ", ") + std::to_string(source.value());
    if (sources.size() == 1)
        return "the contacts to node " + to + " come from node " + from +
               ": see `routes explain` for node " + from;
    if (sources.size() > kNamedSources) from += ", ...";
    return "the contacts to node " + to + " come from nodes " + from +
           ": see `routes explain` for these nodes";
}

}  // namespace farlink::control
