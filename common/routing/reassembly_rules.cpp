// SPDX-License-Identifier: Apache-2.0
#include "common/routing/reassembly_rules.hpp"

#include <algorithm>

#include "common/bp/eid/reserved.hpp"

namespace farlink::routing {

void ReassemblyRules::set_rules(const config::RoutingConfig &config) {
    in_transit_.clear();
    for (const std::string &text : config.reassemble)
        if (auto pattern = bp::EidPattern::parse(text)) in_transit_.push_back(std::move(*pattern));
}

bool ReassemblyRules::is_here(const bp::EidView &endpoint) const {
    if (endpoint.scheme == bp::EidScheme::kIpn)
        return endpoint.node_number() == node_ || bp::is_local_node(endpoint);
    return endpoints_ != nullptr && endpoints_->find(endpoint).has_value();
}

bool ReassemblyRules::joins(const bp::BundleView &bundle) const {
    // Without a source it has no identity that it could share with others.
    if (!bundle.is_fragment || bundle.source.is_null()) return false;
    if (is_here(bundle.destination)) return true;
    // Fragments of several administrative records may seem to be of one: only the destination
    // joins them, since it has no other choice.
    return !bundle.custody_requested && bundle.has_identity() &&
           std::ranges::any_of(in_transit_, [&bundle](const bp::EidPattern &pattern) {
               return pattern.matches(bundle.destination);
           });
}

}  // namespace farlink::routing
