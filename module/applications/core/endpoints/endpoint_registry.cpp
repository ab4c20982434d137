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
    const LinkId link = free_number();
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

// The smallest: ingress and storage keep what they have of each number that was used once.
LinkId EndpointRegistry::free_number() {
    if (free_numbers_.empty()) return LinkId{kFirstEndpointLink + next_number_++};
    const std::uint32_t number = *free_numbers_.begin();
    free_numbers_.erase(free_numbers_.begin());
    return LinkId{kFirstEndpointLink + number};
}

// One owner has half of them at most: each may stay for long.
bool EndpointRegistry::has_room_for(std::string_view owner) const {
    const auto of = dynamic_of_.find(std::string(owner));
    const std::size_t his = of == dynamic_of_.end() ? 0 : of->second;
    return dynamic_ < most_dynamic_ && his < std::max<std::size_t>(most_dynamic_ / 2, 1);
}

Verdict EndpointRegistry::join(UpstreamId connection, const Request &request, Endpoint *&found) {
    const auto known = by_text_.find(bp::to_string(request.endpoint));
    const bool is_new = known == by_text_.end();
    if (is_new && !has_room_for(request.owner)) return kTooManyEndpoints;
    Endpoint &endpoint = is_new ? add(request.endpoint, false) : endpoints_.at(known->second);
    if (is_new) ++dynamic_of_[endpoint.owner = request.owner];
    const bool secret_holds = !endpoint.connections.empty() || endpoint.leaves != kNever;
    if (secret_holds && endpoint.secret != request.secret) return kOtherSecret;
    endpoint.secret = request.secret;
    endpoint.connections.push_back(connection);
    endpoint.stay = std::max(endpoint.stay, request.stay);
    leaving_.erase({std::exchange(endpoint.leaves, kNever), endpoint.link});
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
    leaving_.emplace(endpoint->leaves, link);
}

void EndpointRegistry::remove(LinkId link) {
    const auto found = endpoints_.find(link);
    FARLINK_INVARIANT(found->second.queue.bundles() == 0);
    changed_.push_back({link, {found->second.text.begin(), found->second.text.end()}, false, true});
    by_text_.erase(found->second.text);
    free_numbers_.insert(link.value() - kFirstEndpointLink);
    if (const auto of = dynamic_of_.find(found->second.owner); --of->second == 0)
        dynamic_of_.erase(of);
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
    return leaving_.empty() ? kNever : leaving_.begin()->first;
}

void EndpointRegistry::handle_timeout(TimePoint now) {
    while (next_timeout() <= now) {
        const auto [leaves, link] = *leaving_.begin();
        leaving_.erase(leaving_.begin());
        const Endpoint *endpoint = find(link);
        if (endpoint != nullptr && endpoint->leaves == leaves) remove(link);
    }
}

}  // namespace farlink::applications
