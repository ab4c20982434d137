// SPDX-License-Identifier: Apache-2.0
#include "common/routing/endpoint_table.hpp"

#include <algorithm>
#include <utility>

#include "common/bp/eid/reserved.hpp"
#include "common/config/applications/applications_fields.hpp"
#include "common/config/applications/own_services.hpp"

namespace farlink::routing {

EndpointTable::EndpointTable(const config::NodeConfig &config)
    : node_(config.node),
      echo_service_(config.echo_service),
      complete_(!config.applications.wanted()) {
    for (const config::EndpointConfig &each : config.applications.endpoints)
        if (const auto endpoint = config::endpoint_of(each.endpoint, config.node))
            endpoints_.emplace(bp::hash(endpoint->view()), Known{*endpoint});
}

bp::EidView EndpointTable::named(const bp::EidView &endpoint) const {
    return bp::is_local_node(endpoint) ? bp::ipn_eid(node_.value(), endpoint.service) : endpoint;
}

std::optional<LinkId> EndpointTable::look_up(bp::EidView endpoint) const {
    endpoint = named(endpoint);
    const auto [begin, end] = endpoints_.equal_range(bp::hash(endpoint));
    for (auto at = begin; at != end; ++at)
        if (at->second.endpoint.view() == endpoint) return at->second.link;
    const bool here = endpoint.scheme == bp::EidScheme::kIpn && endpoint.node_number() == node_;
    if (complete_ || !here || config::is_own_service(endpoint.service, echo_service_))
        return std::nullopt;
    return kNoLink;
}

std::vector<bus::EndpointEntry> EndpointTable::handle(const bus::EndpointsChange &change) {
    std::vector<bus::EndpointEntry> changed;
    complete_ = complete_ || change.whole;
    std::unordered_map<LinkId, bp::Eid> before;
    if (change.whole) {
        before = std::exchange(by_link_, {});
        endpoints_.clear();
    }
    for (const bus::EndpointEntry &entry : change.endpoints) apply(entry, changed);
    for (const auto &[link, endpoint] : before)
        if (!by_link_.contains(link))
            changed.push_back({.link = link, .endpoint = {}, .removed = true});
    return changed;
}

void EndpointTable::apply(const bus::EndpointEntry &entry,
                          std::vector<bus::EndpointEntry> &changed) {
    const auto endpoint = bp::Eid::parse(as_text(entry.endpoint));
    if (!endpoint) return;
    remove(*endpoint);
    // A restarted module may have given the number to another one.
    if (const auto other = by_link_.find(entry.link); other != by_link_.end())
        remove(bp::Eid(other->second));
    if (!entry.removed) {
        endpoints_.emplace(bp::hash(endpoint->view()), Known{*endpoint, entry.link, entry.up});
        by_link_.emplace(entry.link, *endpoint);
    }
    changed.push_back({entry.link, {}, entry.up && !entry.removed, entry.removed});
}

void EndpointTable::remove(const bp::Eid &endpoint) {
    const auto [begin, end] = endpoints_.equal_range(bp::hash(endpoint.view()));
    const auto found = std::find_if(
        begin, end, [&](const auto &known) { return known.second.endpoint == endpoint; });
    if (found == end) return;
    by_link_.erase(found->second.link);
    endpoints_.erase(found);
}

std::vector<bus::EndpointEntry> EndpointTable::handle_lost() {
    std::vector<bus::EndpointEntry> changed;
    for (auto &[hash, known] : endpoints_) known.up = false;
    for (const auto &[link, endpoint] : by_link_) changed.push_back({.link = link, .endpoint = {}});
    return changed;
}

}  // namespace farlink::routing
