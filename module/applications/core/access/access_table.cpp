// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/access/access_table.hpp"

#include <algorithm>

#include "common/config/applications/own_services.hpp"

namespace farlink::applications {
namespace {

std::vector<bp::EidPattern> patterns_of(const std::vector<std::string> &texts) {
    std::vector<bp::EidPattern> patterns;
    for (const std::string &text : texts)
        if (auto pattern = bp::EidPattern::parse(text)) patterns.push_back(std::move(*pattern));
    return patterns;
}

bool any_matches(const std::vector<bp::EidPattern> &patterns, const bp::EidView &endpoint) {
    return std::ranges::any_of(
        patterns, [&](const bp::EidPattern &pattern) { return pattern.matches(endpoint); });
}

Priority priority_of(const std::string &name) {
    if (name == "bulk") return Priority::kBulk;
    return name == "normal" ? Priority::kNormal : Priority::kExpedited;
}

/// 0: no limit.
std::uint64_t limit_of(std::uint64_t configured, std::uint64_t usual) {
    return configured == 0 ? usual : std::min(configured, usual);
}

}  // namespace

Grant::Grant(const config::ApplicationsNode &node, const config::AccessConfig &access)
    : node_(node.node),
      echo_service_(node.echo_service),
      dynamic_(access.dynamic),
      first_dynamic_(node.applications.first_dynamic_service),
      last_dynamic_(node.applications.last_dynamic_service),
      receive_(patterns_of(access.receive)),
      send_as_(patterns_of(access.send_as)),
      send_to_(patterns_of(access.send_to)),
      largest_adu_bytes_(limit_of(access.largest_adu_bytes, node.applications.largest_adu_bytes)),
      longest_lifetime_ms_(access.longest_lifetime_seconds == 0
                               ? ~std::uint64_t{0}
                               : access.longest_lifetime_seconds * kMsPerSecond),
      highest_priority_(priority_of(access.highest_priority)),
      bytes_per_second_(access.bytes_per_second),
      adus_per_second_(access.adus_per_second) {}

bool Grant::may_register(const bp::EidView &endpoint) const {
    const bool here = endpoint.scheme == bp::EidScheme::kIpn && endpoint.node_number() == node_;
    if (endpoint.scheme == bp::EidScheme::kIpn && !here) return false;
    if (here && config::is_own_service(endpoint.service, echo_service_)) return false;
    const bool in_range =
        here && endpoint.service >= first_dynamic_ && endpoint.service <= last_dynamic_;
    return (dynamic_ && in_range) || any_matches(receive_, endpoint);
}

bool Grant::may_send_as(const bp::EidView &source) const {
    return any_matches(send_as_, source);
}

bool Grant::may_send_to(const bp::EidView &destination) const {
    return send_to_.empty() || any_matches(send_to_, destination);
}

AccessTable::AccessTable(const config::ApplicationsNode &node, const ResolvedNames &names) {
    const auto &access = node.applications.access;
    for (std::size_t at = 0; at < access.size(); ++at) {
        const ResolvedNames::Entry found =
            at < names.entries.size() ? names.entries[at] : ResolvedNames::Entry{};
        // An unknown name fits no connection.
        if (!access[at].loopback && !found.user && !found.group) continue;
        rules_.push_back({access[at].loopback, found.user, found.group, Grant(node, access[at])});
    }
    if (access.empty()) add_default(node, names);
}

void AccessTable::add_default(const config::ApplicationsNode &node, const ResolvedNames &names) {
    config::AccessConfig usual;
    usual.dynamic = true;
    rules_.push_back({false, names.own_user, std::nullopt, Grant(node, usual)});
    rules_.push_back({false, std::nullopt, names.own_group, Grant(node, usual)});
}

const Grant *AccessTable::find(const Identity &identity) const {
    const auto fits = [&](const Rule &rule) {
        if (identity.loopback || rule.loopback) return identity.loopback && rule.loopback;
        if (rule.user) return *rule.user == identity.user;
        return std::ranges::find(identity.groups, *rule.group) != identity.groups.end();
    };
    const auto found = std::ranges::find_if(rules_, fits);
    return found == rules_.end() ? nullptr : &found->grant;
}

}  // namespace farlink::applications
