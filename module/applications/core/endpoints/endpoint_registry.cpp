// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/endpoints/endpoint_registry.hpp"

#include <algorithm>
#include <utility>

#include "common/base/endpoint_links.hpp"
#include "common/base/invariant.hpp"
#include "common/config/applications/applications_fields.hpp"

namespace farlink::applications {
namespace {

constexpr Verdict kOtherSecret{ResponseStatus::kUnauthorized,
                               "the endpoint is registered with another secret"};
constexpr Verdict kTooManyEndpoints{ResponseStatus::kError, "the node has too many endpoints"};

}  // namespace

EndpointRegistry::EndpointRegistry(const config::ApplicationsNode &config)
    : most_dynamic_(config.applications.max_endpoints) {
    for (const config::EndpointConfig &each : config.applications.endpoints)
        if (const auto eid = config::endpoint_of(each.endpoint, config.node))
            (void)add(eid->view(), true);
}

Endpoint &EndpointRegistry::add(const bp::EidView &eid, bool configured) {
    const std::string text = bp::to_string(eid);
    if (const auto known = by_text_.find(text); known != by_text_.end())
        return endpoints_.at(known->second);
    const LinkId link = number_for(eid);
    Endpoint &endpoint = endpoints_[link];
    endpoint.link = link;
    endpoint.eid = bp::Eid(eid);
    endpoint.text = text;
    endpoint.configured = configured;
    if (!configured) ++dynamic_;
    by_text_.emplace(text, link);
    note(endpoint);
    return endpoint;
}

// The same number each time, as far as possible, so that a restart changes little.
LinkId EndpointRegistry::number_for(const bp::EidView &eid) const {
    std::uint32_t place = static_cast<std::uint32_t>(bp::hash(eid)) % kEndpointLinks;
    while (endpoints_.contains(LinkId{kFirstEndpointLink + place}))
        place = (place + 1) % kEndpointLinks;
    return LinkId{kFirstEndpointLink + place};
}

Verdict EndpointRegistry::join(UpstreamId connection, const Request &request, Endpoint *&found) {
    const auto known = by_text_.find(bp::to_string(request.endpoint));
    if (known == by_text_.end() && dynamic_ >= most_dynamic_) return kTooManyEndpoints;
    Endpoint &endpoint =
        known == by_text_.end() ? add(request.endpoint, false) : endpoints_.at(known->second);
    const bool secret_holds = !endpoint.connections.empty() || endpoint.leaves != kNever;
    if (secret_holds && endpoint.secret != request.secret) return kOtherSecret;
    endpoint.secret = request.secret;
    endpoint.connections.push_back(connection);
    endpoint.stay = std::max(endpoint.stay, request.stay);
    endpoint.leaves = kNever;
    if (request.receives) endpoint.receivers.push_back(connection);
    if (endpoint.receivers.size() == 1 && request.receives) note(endpoint);
    found = &endpoint;
    return {};
}

void EndpointRegistry::leave(UpstreamId connection, LinkId link, TimePoint now) {
    Endpoint *endpoint = find(link);
    if (endpoint == nullptr) return;
    const bool was_up = endpoint->up();
    std::erase(endpoint->connections, connection);
    std::erase(endpoint->receivers, connection);
    if (was_up != endpoint->up()) note(*endpoint);
    if (!endpoint->connections.empty() || endpoint->configured) return;
    if (endpoint->stay == Duration::zero()) return remove(link);
    endpoint->leaves = now + endpoint->stay;
    if (std::ranges::find(leaving_, link) == leaving_.end()) leaving_.push_back(link);
}

void EndpointRegistry::remove(LinkId link) {
    const auto found = endpoints_.find(link);
    FARLINK_INVARIANT(found->second.queue.bundles() == 0);
    changed_.push_back({link, {found->second.text.begin(), found->second.text.end()}, false, true});
    removed_.push_back(link);
    by_text_.erase(found->second.text);
    endpoints_.erase(found);
    --dynamic_;
}

Endpoint *EndpointRegistry::find(LinkId link) {
    const auto found = endpoints_.find(link);
    return found == endpoints_.end() ? nullptr : &found->second;
}

void EndpointRegistry::note(const Endpoint &endpoint) {
    changed_.push_back(endpoint.entry());
}

std::optional<bus::EndpointsChange> EndpointRegistry::poll_change() {
    if (changed_.empty()) return std::nullopt;
    return bus::EndpointsChange{false, std::exchange(changed_, {})};
}

bus::EndpointsChange EndpointRegistry::all(bool whole) const {
    bus::EndpointsChange change{whole, {}};
    for (const auto &[link, endpoint] : endpoints_) change.endpoints.push_back(endpoint.entry());
    return change;
}

TimePoint EndpointRegistry::next_timeout() const {
    TimePoint next = kNever;
    for (const LinkId link : leaving_)
        if (const auto found = endpoints_.find(link); found != endpoints_.end())
            next = std::min(next, found->second.leaves);
    return next;
}

void EndpointRegistry::handle_timeout(TimePoint now) {
    for (const LinkId link : std::exchange(leaving_, {})) {
        const Endpoint *endpoint = find(link);
        if (endpoint == nullptr || endpoint->leaves == kNever) continue;
        if (endpoint->leaves <= now)
            remove(link);
        else
            leaving_.push_back(link);
    }
}

}  // namespace farlink::applications
