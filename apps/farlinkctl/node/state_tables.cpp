// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/state_tables.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "apps/farlinkctl/shared/figures.hpp"
#include "common/telemetry/link_counters.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kQueuedBytes =
    telemetry::counter_info<telemetry::LinkCounter::kQueuedBytes>().json.link.data();

/// "1.23 MB"; "-" when the member is absent.
std::string octets(const Json &object, const char *key) {
    return object.contains(key) ? octets_text(number(object, key)) : "-";
}

std::string shown_rate(const Json &link, const char *key) {
    return link.contains(key) ? short_number(number(link, key)) : "-";
}

/// The values of a series; unknown ones are below 0.
std::vector<double> values_of(const Json &series) {
    std::vector<double> values;
    for (const Json &value : series) values.push_back(value.is_number() ? value.get<double>() : -1);
    return values;
}

/// "20"; "30?" is what a session announces whose node id is not proved.
std::string neighbour_text(const Json &link) {
    for (const char *claim : {"claimedNode", "claimedName"})
        if (link.contains(claim)) return cell(link, claim) + '?';
    return text(link, "neighbour");
}

}  // namespace

std::string link_state(const Json &link) {
    if (text(link, "direction") == "in")
        return is_true(link, "connected") ? "listening" : "not listening";
    if (link.contains("proved") && !is_true(link, "proved")) return "not proved";
    if (is_true(link, "up"))
        return link.contains("neighbourRetriedInSeconds") ? "up, neighbour full" : "up";
    if (link.contains("enabled") && !is_true(link, "enabled")) return "down by operator";
    if (link.contains("planned") && !is_true(link, "planned")) return "no contact";
    return "not connected";
}

std::string contact_rate(const Json &link) {
    const std::string bits = text(link, "rateBitsPerSec");
    return bits == "0" ? "unlimited" : bits;
}

void add_rates(Json &links, const Json &history) {
    const auto series = history.find("series");
    if (series == history.end() || !series->is_object()) return;
    for (Json &link : links) {
        const std::string name = "link." + text(link, "number");
        for (const auto &[way, key] :
             {std::pair(".in", "inBitsPerSec"), {".out", "outBitsPerSec"}}) {
            const auto found = series->find(name + way);
            if (found != series->end() && !found->empty() && found->back().is_number())
                link[key] = found->back();
        }
    }
}

void add_reasons(Json &status, const Json &links) {
    std::map<std::uint64_t, std::string> reasons;
    for (const Json &link : links)
        if (std::string reason = link.value("reason", std::string()); !reason.empty())
            reasons.emplace(link.value("number", ~std::uint64_t{0}), std::move(reason));
    for (Json &link : status["links"]) {
        // Between two contacts a link keeps the reason of the last one.
        if (!is_true(link, "planned") || is_true(link, "connected")) continue;
        const auto found = reasons.find(link.value("link", std::uint64_t{0}));
        if (found != reasons.end()) link["reason"] = found->second;
    }
}

std::string old_figures_line(const Json &reply) {
    const auto ages = reply.find("figuresAgeSeconds");
    if (ages == reply.end() || !ages->is_object() || ages->empty()) return {};
    std::string line;
    for (const auto &[module, age] : ages->items())
        line += (line.empty() ? "the figures of " : "; those of ") + printable(module) + " are " +
                age.dump() + " s old";
    return line + (ages->size() == 1 ? ": it does not report" : ": they do not report") +
           "; see `farlinkctl alarms`";
}

std::vector<Row> links_table(const Json &links) {
    std::vector<Row> rows{{"link", "neighbour", "layer", "way", "state", "contact bit/s",
                           "in bit/s", "out bit/s", "queued", "address"}};
    // They come by name: 10 before 2.
    std::vector<Json> by_number(links.begin(), links.end());
    std::ranges::stable_sort(by_number, {},
                             [](const Json &link) { return number(link, "number"); });
    for (const Json &link : by_number) {
        const std::string reason = cell(link, "reason");
        // The reason of a link that is up is that of its last fault.
        const bool lasts = !is_true(link, "connected") || text(link, "direction") == "in" ||
                           link.contains("proved");
        const bool why = lasts && !reason.empty() && reason != "-";
        rows.push_back({text(link, "number"), neighbour_text(link), cell(link, "layer"),
                        text(link, "direction"), link_state(link), contact_rate(link),
                        shown_rate(link, "inBitsPerSec"), shown_rate(link, "outBitsPerSec"),
                        octets(link, kQueuedBytes),
                        cell(link, "address") + (why ? " (" + reason + ")" : "")});
    }
    return rows;
}

std::vector<Row> disks_table(const Json &storage) {
    std::vector<Row> rows{{"disk", "state", "used", "of", "%", "path"}};
    const auto disks = storage.find("disks");
    if (disks == storage.end() || !disks->is_object()) return rows;
    for (const auto &[name, disk] : disks->items()) {
        const double capacity = number(disk, "capacityBytes");
        const double used = number(disk, "usedBytes");
        const std::string share =
            capacity > 0 ? std::to_string(static_cast<int>(100 * used / capacity)) : "-";
        rows.push_back({name, cell(disk, "state"), octets(disk, "usedBytes"),
                        octets(disk, "capacityBytes"), share, cell(disk, "path")});
    }
    return rows;
}

std::string destination_text(const Json &pending) {
    return pending.contains("name") ? cell(pending, "name") : text(pending, "destination");
}

std::string storage_line(const Json &storage) {
    return counted_text(storage, "bundles", "bundle") + ", " + octets(storage, "bytes") +
           (text(storage, "bundles") == "1" ? ", waits for " : ", wait for ") +
           counted_text(storage, "destinations", "destination") + "; " +
           text(storage, "custodyBundles") + " in custody";
}

std::string further_destinations(std::uint64_t number) {
    return "and " + std::to_string(number) + " destination" + (number == 1 ? "" : "s") +
           " with fewer bundles";
}

std::vector<Row> pending_table(const Json &pending) {
    std::vector<Row> rows{{"destination", "bundles", "size", "custody", "next expiry"}};
    for (const Json &each : pending)
        rows.push_back({destination_text(each), text(each, "bundles"), octets(each, "bytes"),
                        text(each, "custodyBundles"), text(each, "nextExpiry")});
    return rows;
}

std::vector<Row> endpoints_table(const Json &endpoints) {
    std::vector<Row> rows{{"endpoint", "kind", "receivers", "connections", "stored", "waiting",
                           "leased", "delivered", "sent"}};
    for (const Json &each : endpoints)
        rows.push_back(
            {cell(each, "endpoint"), is_true(each, "configured") ? "configured" : "dynamic",
             text(each, "receivers"), text(each, "connections"), text(each, "storedBundles"),
             text(each, "waitingBundles"), text(each, "leasedBundles"),
             text(each, "deliveredBundles"), text(each, "sentBundles")});
    return rows;
}

std::vector<Row> custody_table(const Json &pending) {
    std::vector<Row> rows{{"destination", "in custody", "of bundles"}};
    for (const Json &each : pending)
        if (number(each, "custodyBundles") > 0)
            rows.push_back(
                {destination_text(each), text(each, "custodyBundles"), text(each, "bundles")});
    return rows;
}

// "signalsSent" is printed as "signals sent".
std::vector<Row> custody_counters(const Json &counters) {
    std::vector<Row> rows;
    for (const auto &[key, value] : counters.items()) {
        std::string words;
        for (const char letter : key) {
            const bool upper = letter >= 'A' && letter <= 'Z';
            if (upper) words += ' ';
            words += upper ? static_cast<char>(letter - 'A' + 'a') : letter;
        }
        rows.push_back({value.dump(), words});
    }
    return rows;
}

std::string event_line(const Json &event) {
    return cell(event, "time") + ' ' + cell(event, "level") + ' ' + cell(event, "module") + ": " +
           cell(event, "text");
}

std::vector<Row> history_table(const Json &history, std::size_t columns, bool utf8) {
    std::vector<Row> rows{{"series", "last", "mean", "most", "oldest to newest"}};
    const auto series = history.find("series");
    if (series == history.end() || !series->is_object()) return rows;
    for (const auto &[name, points] : series->items()) {
        const std::vector<double> values = values_of(points);
        double sum = 0;
        double most = 0;
        std::size_t known = 0;
        for (const double value : values) {
            if (value < 0) continue;
            sum += value;
            most = std::max(most, value);
            ++known;
        }
        const bool last = !values.empty() && values.back() >= 0;
        rows.push_back({printable(name), last ? short_number(values.back()) : "-",
                        known > 0 ? short_number(sum / static_cast<double>(known)) : "-",
                        known > 0 ? short_number(most) : "-", sparkline(values, columns, utf8)});
    }
    return rows;
}

}  // namespace farlink::ctl
