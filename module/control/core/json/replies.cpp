// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/replies.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/json/moment.hpp"
#include "module/control/core/json/contact_json.hpp"

namespace farlink::control {

using nlohmann::ordered_json;

namespace {

constexpr double kNanoseconds = 1e9;

constexpr std::array<const char *, 5> kReasons{"malformed", "invalid", "notFound", "conflict",
                                               "unavailable"};

double in_seconds(Duration duration) {
    return static_cast<double>(duration.count()) / kNanoseconds;
}

ordered_json candidates_json(const std::vector<bus::RouteCandidate> &candidates) {
    ordered_json list = ordered_json::array();
    for (const bus::RouteCandidate &candidate : candidates)
        list.push_back({{"nextHop", candidate.next_hop.value()},
                        {"link", candidate.link.value()},
                        {"arrival", moment(candidate.arrival)}});
    return list;
}

/// The contact of a link.
ordered_json contact_json(const bus::LinkEntry &entry) {
    ordered_json contact{{"planned", entry.planned}};
    if (entry.planned) {
        contact["rateBitsPerSec"] = entry.rate.value();
        contact["owlt"] = in_seconds(entry.owlt);
        contact["ends"] = moment(entry.ends);
    }
    contact["nextContact"] = moment(entry.next_contact);
    return contact;
}

}  // namespace

ordered_json link_json(const bus::LinkEntry &entry) {
    ordered_json link{{"link", entry.link.value()},
                      {"neighbour", entry.neighbour.value()},
                      {"up", entry.planned && entry.connected},
                      {"enabled", entry.enabled},
                      {"connected", entry.connected},
                      {"overridden", entry.overridden}};
    link.update(contact_json(entry));
    link["neighbourDepleted"] = entry.depleted_for > Duration::zero();
    if (entry.depleted_for > Duration::zero())
        link["retriedInSeconds"] = in_seconds(entry.depleted_for);
    return link;
}

ordered_json links_json(const bus::LinkSnapshot &snapshot) {
    ordered_json list = ordered_json::array();
    for (const bus::LinkEntry &entry : snapshot.links) list.push_back(link_json(entry));
    return list;
}

ordered_json link_differences(const bus::LinkSnapshot &before, const bus::LinkSnapshot &after) {
    ordered_json list = ordered_json::array();
    for (const bus::LinkEntry &entry : after.links) {
        const auto other = std::ranges::find(before.links, entry.link, &bus::LinkEntry::link);
        if (other == before.links.end()) continue;
        ordered_json from = contact_json(*other);
        ordered_json to = contact_json(entry);
        if (from == to) continue;
        list.push_back({{"link", entry.link.value()},
                        {"neighbour", entry.neighbour.value()},
                        {"before", std::move(from)},
                        {"after", std::move(to)}});
    }
    return list;
}

ordered_json routes_json(const bus::RouteUpdate &update) {
    ordered_json list = ordered_json::array();
    for (const bus::Route &route : update.routes) {
        ordered_json row{{"destination", route.destination.value()},
                         {"candidates", candidates_json(route.candidates)}};
        if (route.max_bundle_bytes != ~std::uint64_t{0})
            row["maxBundleBytes"] = route.max_bundle_bytes;
        list.push_back(std::move(row));
    }
    return list;
}

ordered_json route_differences(const bus::RoutesPreview &preview) {
    ordered_json list = ordered_json::array();
    for (const bus::RouteDifference &row : preview.differences)
        list.push_back({{"destination", row.destination.value()},
                        {"before", candidates_json(row.before)},
                        {"after", candidates_json(row.after)}});
    return list;
}

ordered_json error_reply(Refusal why, const std::string &error) {
    return {{"ok", false}, {"reason", kReasons[static_cast<std::size_t>(why)]}, {"error", error}};
}

ordered_json error_reply(const config::ConfigErrors &errors, const std::string &error) {
    ordered_json list = ordered_json::array();
    for (const config::ConfigError &each : errors.errors)
        list.push_back({{"path", each.path},
                        {"problem", each.problem},
                        {"expected", each.expected},
                        {"hint", each.hint}});
    ordered_json reply = error_reply(Refusal::kInvalid, error);
    reply["errors"] = std::move(list);
    return reply;
}

}  // namespace farlink::control
