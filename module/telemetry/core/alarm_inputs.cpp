// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarm_inputs.hpp"

#include <utility>

#include "common/base/endpoint_links.hpp"
#include "common/config/fields/instant.hpp"
#include "common/config/node/link_placement.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/link_counters.hpp"
#include "common/telemetry/storage_counters.hpp"

namespace farlink::telemetry {
namespace {

/// Over LTP no side opens a session: this node sends to the neighbour's address, also by the port
/// of an induct.
bool leads_to_an_address(const KnownLink *known) {
    const bus::LinkInfo *info = known == nullptr ? nullptr : known->info();
    return info != nullptr && as_text(info->url).starts_with("ltp://");
}

std::uint64_t number_of(const Json &object, const char *key, std::uint64_t otherwise) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>()
                                                                : otherwise;
}

bool flag_of(const Json &object, const char *key, bool otherwise) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

NeighbourContacts contacts_of(const Json &row) {
    NeighbourContacts contacts;
    contacts.neighbour = NodeNumber{number_of(row, "neighbour", 0)};
    contacts.ends = config::parse_utc(text_of(row, "ends")).value_or(kDtnNever);
    contacts.remaining_bytes = number_of(row, "remainingBytes", kUnlimitedBytes);
    return contacts;
}

}  // namespace

AlarmInputs::AlarmInputs(const config::NodeConfig &config)
    : node_(config.node), table_(config.routing), unchecked_(config) {}

void AlarmInputs::handle(const bus::RouteUpdate &update) {
    table_.handle(update);
    routes_known_ = true;
}

void AlarmInputs::handle_status(const Json &status) {
    const auto plan = status.find("plan");
    if (plan == status.end() || !plan->is_object()) return;
    plan_ = {.in_force = flag_of(*plan, "configured", false)};
    plan_known_ = true;
    const auto rows = status.find("remainingContacts");
    if (rows == status.end() || !rows->is_array()) return;
    for (const Json &row : *rows) plan_.neighbours.push_back(contacts_of(row));
}

// Endpoints without a node number and held destinations are left out.
std::vector<WaitingFacts> AlarmInputs::waiting(const TelemetryCore &core, DtnTime wall) {
    std::vector<WaitingFacts> all;
    if (!core.storage() || !routes_known_) return all;
    for (const bus::PendingReport &each : core.storage()->pending) {
        const NodeNumber node = each.destination;
        if (node == NodeNumber{} || node == node_ || table_.is_held(node)) continue;
        routing::BundleFacts bundle;
        bundle.destination = node;
        const routing::Decision decision = table_.decide(bundle, wall);
        all.push_back({node, each.bundles, each.bytes, decision.hop.neighbour});
    }
    return all;
}

std::vector<LinkFacts> AlarmInputs::links(const TelemetryCore &core, const LiveState &state) {
    std::vector<LinkFacts> all;
    for (const auto &[number, row] : state.links().json().items()) {
        if (text_of(row, "direction") == "in") continue;
        LinkFacts link;
        link.link = LinkId{static_cast<std::uint32_t>(number_of(row, "number", 0))};
        link.neighbour = NodeNumber{number_of(row, "neighbour", 0)};
        link.open = flag_of(row, "planned", false) && flag_of(row, "enabled", true);
        link.connected = flag_of(row, "connected", false);
        const KnownLink *known = core.links().find(link.link);
        link.opened_by_neighbour = link.link.value() >= config::kFirstOpenedLink &&
                                   !is_endpoint_link(link.link) && !leads_to_an_address(known);
        link.ends = text_of(row, "ends");
        link.reason = text_of(row, "reason");
        link.address = text_of(row, "address");
        if (known != nullptr) {
            link.sent = known->value(LinkCounter::kSent);
            link.refused = known->value(LinkCounter::kSendRefused);
            link.too_large = known->value(LinkCounter::kSendTooLarge);
            link.unacknowledged = known->value(LinkCounter::kSendUnacknowledged);
        }
        all.push_back(std::move(link));
    }
    return all;
}

AlarmFacts AlarmInputs::facts(const TelemetryCore &core, const LiveState &state, bool storage_full,
                              DtnTime wall) {
    AlarmFacts facts;
    facts.node = node_;
    if (plan_known_) facts.plan = plan_;
    facts.stored_bundles = core.value(bus::AgentId::kStorage, StorageCounter::kStoredNow);
    facts.waiting = waiting(core, wall);
    if (core.storage())
        for (const bus::DiskReport &disk : core.storage()->disks)
            facts.disks.push_back({std::string(as_text(disk.path)), disk.used_bytes,
                                   disk.capacity_bytes, disk.state == bus::DiskState::kFull});
    facts.storage_full = storage_full;
    facts.reserve_missing = core.storage() && core.storage()->reserve_missing;
    facts.without_room = core.value(bus::AgentId::kIngress, IngressCounter::kWithoutRoom);
    facts.links = links(core, state);
    facts.refused_now = core.value(bus::AgentId::kStorage, StorageCounter::kRefusedNow);
    facts.too_large_now = core.value(bus::AgentId::kStorage, StorageCounter::kTooLargeNow);
    facts.exceeding_now = core.value(bus::AgentId::kStorage, StorageCounter::kExceedsContacts);
    // Refused bundles may also wait in egress, for the link by which they were refused.
    for (const LinkFacts &link : facts.links)
        if (const KnownLink *known = core.links().find(link.link);
            known && link.refused + link.unacknowledged > 0)
            facts.refused_now += known->value(LinkCounter::kQueued);
    for (const auto &[name, module] : state.modules().items())
        facts.modules.push_back({name, text_of(module, "state")});
    facts.certificates = certificates_;
    facts.unchecked = unchecked_.list();
    facts.modules_suspended = core.value(bus::AgentId::kStorage, StorageCounter::kExpirySuspended) +
                              core.value(bus::AgentId::kIngress, IngressCounter::kExpirySuspended) +
                              core.value(bus::AgentId::kEgress, EgressCounter::kExpirySuspended);
    facts.clock_ahead_s = core.value(bus::AgentId::kStorage, StorageCounter::kClockAhead);
    facts.clock_behind_s = core.value(bus::AgentId::kStorage, StorageCounter::kClockBehind);
    facts.clock_synchronised = synchronised_;
    facts.history_fault = history_fault_;
    return facts;
}

}  // namespace farlink::telemetry
