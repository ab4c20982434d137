// SPDX-License-Identifier: Apache-2.0
#include "common/config/reload/settings_change.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/config/fields/section_checker.hpp"
#include "common/config/node/node_fields.hpp"
#include "common/config/reload/live_settings.hpp"
#include "common/config/security/security_config.hpp"

namespace farlink::config {
namespace {

using Json = nlohmann::ordered_json;

/// Required in every document.
constexpr std::string_view kNodeKey = "myNodeId";

/// Whether the modules read this key of the file again: it, or a part of it, takes effect in them.
bool is_sent(std::string_view key) {
    return key == kNodeKey || std::ranges::any_of(live_settings(), [key](const LiveSetting &each) {
               const bool inside = each.path.substr(0, each.path.find('.')) == key;
               return inside &&
                      (each.applied == Applied::kRouting || each.applied == Applied::kLimits);
           });
}

Json api_of(const ApiConfig &api) {
    Json json = Json::object();
    if (!api.listen.empty()) json["listen"] = api.listen;
    if (!api.tokens_file.empty()) json["tokensFile"] = api.tokens_file;
    if (!api.tls.certificate_file.empty())
        json["tls"] = {{"certificate", api.tls.certificate_file}, {"key", api.tls.key_file}};
    if (!api.allowed_hosts.empty()) json["allowedHosts"] = api.allowed_hosts;
    return json;
}

/// The section of the file, with the absolute name of the program.
Json alarms_of(const Json &section, const AlarmsConfig &alarms) {
    Json json = section;
    if (!alarms.command.empty()) json["command"] = alarms.command;
    return json;
}

/// The section of the file, with the absolute name of the keys.
Json security_of(const Json &section, const SecurityConfig &security) {
    Json json = section;
    if (!security.key_store.empty()) json["keyStore"] = security.key_store;
    return json;
}

}  // namespace

std::string settings_json(std::string_view file, const NodeConfig &config) {
    const Json document = Json::parse(file, nullptr, false);
    Json sent = Json::object();
    if (document.is_object())
        for (const auto &[key, value] : document.items())
            if (is_sent(key)) sent[key] = value;
    if (Json api = api_of(config.api); !api.empty()) sent["api"] = std::move(api);
    if (document.is_object() && document.contains("alarms"))
        sent["alarms"] = alarms_of(document["alarms"], config.alarms);
    if (config.security) sent["security"] = security_of(document["security"], *config.security);
    return sent.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<NodeConfig, ConfigErrors> settings_from_json(std::string_view json) {
    ConfigErrors errors;
    const auto object = check_document(node_table().info(), json, errors.errors);
    if (!object || !errors.errors.empty()) return fail(std::move(errors));
    return node_table().build(*object);
}

void take_settings(NodeConfig &into, const NodeConfig &from) {
    // Names of nodes belong to the destinations that the modules have noted already.
    std::vector<NodeEndpoints> nodes = std::move(into.routing.nodes);
    into.routing = from.routing;
    into.routing.nodes = std::move(nodes);
    into.max_pause = from.max_pause;
    into.acknowledge_within = from.acknowledge_within;
    into.status_reports = from.status_reports;
    into.status_reports_per_second = from.status_reports_per_second;
    into.custody.depleted_delay = from.custody.depleted_delay;
    into.security = from.security;
    StorageConfig &storage = into.storage;
    storage.capacity_bytes = from.storage.capacity_bytes;
    storage.expedited_reserve_bytes = from.storage.expedited_reserve_bytes;
    storage.when_full = from.storage.when_full;
    storage.overtake = from.storage.overtake;
    storage.reassembly = from.storage.reassembly;
    const std::size_t quotas = std::min(storage.quotas.size(), from.storage.quotas.size());
    for (std::size_t at = 0; at < quotas; ++at)
        storage.quotas[at].capacity_bytes = from.storage.quotas[at].capacity_bytes;
    const std::size_t disks = std::min(storage.disks.size(), from.storage.disks.size());
    for (std::size_t at = 0; at < disks; ++at)
        storage.disks[at].capacity_bytes = from.storage.disks[at].capacity_bytes;
}

}  // namespace farlink::config
