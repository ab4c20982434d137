// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/live_links.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "common/config/fields/instant.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/telemetry/link_counters.hpp"
#include "common/telemetry/ltp_counters.hpp"

namespace farlink::telemetry {
namespace {

constexpr double kNanoseconds = 1e9;
constexpr std::string_view kLtpAlwaysShown = "segments_repeated";

/// Members of a link in the supervisor's `status`, and their names in the state document.
constexpr std::array<std::pair<const char *, const char *>, 11> kStatusMembers{{
    {"neighbour", "neighbour"},
    {"up", "up"},
    {"planned", "planned"},
    {"enabled", "enabled"},
    {"connected", "connected"},
    {"rateBitsPerSec", "rateBitsPerSec"},
    {"owlt", "lightTimeSeconds"},
    {"overridden", "overridden"},
    {"ends", "ends"},
    {"nextContact", "nextContact"},
    {"retriedInSeconds", "neighbourRetriedInSeconds"},
}};

std::string key_of(LinkId link) {
    return std::to_string(link.value());
}

bool both_ways(std::string_view scheme) {
    return scheme.starts_with("tcpcl");
}

void set_contact(Json &row, BitRate rate, Duration owlt) {
    row["planned"] = true;
    row["rateBitsPerSec"] = rate.value();
    row["lightTimeSeconds"] = static_cast<double>(owlt.count()) / kNanoseconds;
}

}  // namespace

LiveLinks::LiveLinks(Json &links, const config::NodeConfig &config)
    : links_(links), inducts_(config.inducts.size()) {
    for (const config::InductConfig &induct : config.inducts) add(induct.id, induct, "in");
    for (const config::OutductConfig &outduct : config.outducts) {
        add(outduct.id, outduct, both_ways(outduct.url.scheme) ? "both" : "out");
        row(outduct.id)["neighbour"] = outduct.next_hop.value();
    }
}

void LiveLinks::add(LinkId link, const config::LinkOptions &options, std::string_view direction) {
    list(link);
    Json &of = row(link);
    of["layer"] = options.url.scheme;
    of["direction"] = direction;
    of["address"] = config::authority_of(options.url);
}

Json &LiveLinks::row(LinkId link) {
    if (Json *const known = find(link)) return *known;
    return early_[key_of(link)] =
               Json{{"number", link.value()}, {"name", key_of(link)}, {"up", false}};
}

Json *LiveLinks::find(LinkId link) {
    for (Json *const rows : {&links_, &early_})
        if (const auto found = rows->find(key_of(link)); found != rows->end()) return &*found;
    return nullptr;
}

// The scheduler may name a link before its host has said what it is.
void LiveLinks::list(LinkId link) {
    const std::string number = key_of(link);
    if (links_.contains(number)) return;
    links_[number] = row(link);
    early_.erase(number);
}

void LiveLinks::remove(LinkId link) {
    for (Json *const rows : {&links_, &early_}) rows->erase(key_of(link));
}

void LiveLinks::hide(LinkId link) {
    remove(link);
    hidden_.insert(link);
}

void LiveLinks::handle_ports(const std::vector<std::uint16_t> &ports) {
    for (std::size_t i = 0; i < std::min(ports.size(), inducts_); ++i) {
        Json *const of = find(LinkId{static_cast<std::uint32_t>(i)});
        if (of == nullptr || ports[i] == 0 || !of->contains("address")) continue;
        const std::string address = (*of)["address"].get<std::string>();
        (*of)["address"] = address.substr(0, address.rfind(':') + 1) + std::to_string(ports[i]);
    }
}

void LiveLinks::handle(const bus::ContactStart &event) {
    Json &of = row(event.link);
    set_contact(of, event.rate, event.owlt);
    of.erase("ends");
    if (event.ends <= config::kLastUtc) of["ends"] = config::format_utc(event.ends);
}

// The event may arrive after the link has been removed.
void LiveLinks::handle(const bus::ContactEnd &event) {
    Json *const of = find(event.link);
    if (of == nullptr) return;
    (*of)["planned"] = false;
    of->erase("ends");
}

void LiveLinks::handle(const bus::LinkUp &event) {
    Json &of = row(event.link);
    set_contact(of, event.rate, event.owlt);
    of["up"] = true;
    of["connected"] = true;
    of["neighbour"] = event.neighbour.value();
}

void LiveLinks::handle(const bus::LinkDown &event) {
    Json *const of = find(event.link);
    if (of == nullptr) return;
    (*of)["up"] = false;
    if (event.reason == bus::LinkDownReason::kConnectionLost ||
        event.reason == bus::LinkDownReason::kRemoved)
        (*of)["connected"] = false;
    if (event.reason == bus::LinkDownReason::kAdministrative) (*of)["enabled"] = false;
}

// Unknown members are absent, not null: in a merge patch, null removes a member.
void LiveLinks::handle_status(const Json &links) {
    for (const Json &published : links) {
        const auto number = published.find("link");
        if (number == published.end() || !number->is_number_unsigned()) continue;
        // The reply may be older than the removal of the link.
        Json *const of = find(LinkId{number->get<std::uint32_t>()});
        if (of == nullptr) continue;
        for (const auto &[from, to] : kStatusMembers) {
            const auto value = published.find(from);
            if (value == published.end() || value->is_null())
                of->erase(to);
            else
                (*of)[to] = *value;
        }
    }
}

void LiveLinks::update(LinkId link, const KnownLink &known) {
    const bus::LinkInfo *const info = known.info();
    if (hidden_.contains(link) || (info == nullptr && !links_.contains(key_of(link)))) return;
    list(link);
    Json &of = row(link);
    if (info != nullptr) {
        const std::string_view url = as_text(info->url);
        const std::size_t colon = url.find("://");
        if (colon != std::string_view::npos) {
            of["layer"] = url.substr(0, colon);
            of["address"] = url.substr(colon + 3);
        }
        const bool both = info->kind == bus::LinkKind::kSession ||
                          (info->kind == bus::LinkKind::kOutduct && both_ways(url));
        of["direction"] = both ? "both" : info->kind == bus::LinkKind::kInduct ? "in" : "out";
        of["connected"] = info->connected;
        const bool unproved =
            info->kind == bus::LinkKind::kSession && info->connected && !info->reason.empty();
        // The number of a session that has ended may be that of another peer.
        for (const char *claim : {"proved", "claimedNode", "claimedName", "refused"})
            of.erase(claim);
        if (unproved) of["proved"] = false;
        if (info->neighbour != NodeNumber{})
            of[unproved ? "claimedNode" : "neighbour"] = info->neighbour.value();
        if (unproved && !info->claimed_name.empty())
            of["claimedName"] = as_text(info->claimed_name);
        for (const bus::LinkInfo::Refused &each : info->refused)
            of["refused"].push_back(
                {{"nodeId", as_text(each.node_id)}, {"reason", as_text(each.reason)}});
        of["reason"] = as_text(info->reason);
        // An induct has no contacts: it is up while it listens.
        if (info->kind == bus::LinkKind::kInduct) of["up"] = info->connected;
    }
    for (const CounterRow<LinkCounter> &row : kLinkCounters)
        if (!row.info.json.link.empty()) of[row.info.json.link] = known.value(row.id);
    if (of.value("layer", std::string()) == "ltp") count_ltp(of, known);
}

void LiveLinks::count_ltp(Json &row, const KnownLink &known) {
    Json &ltp = row["ltp"];
    std::uint64_t sessions = 0;
    for (std::size_t i = 0; i < kLtpCounters.size(); ++i) {
        const LtpCounterInfo &counter = kLtpCounters[i];
        const std::uint64_t value = known.value(LinkCounter::kLtp, i);
        if (counter.gauge) sessions += value;
        // Counters of 0 are left out, except for one that clients always show.
        if (value != 0 || ltp.contains(counter.json) || counter.name == kLtpAlwaysShown)
            ltp[counter.json] = value;
    }
    ltp["sessions"] = sessions;
}

}  // namespace farlink::telemetry
