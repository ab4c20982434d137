// SPDX-License-Identifier: Apache-2.0
// Which fragments are joined at this node (RFC 9171 section 5.9): those for its services, and those
// for destinations that the configuration names.
// Owned by a core of ingress or storage; one thread.
#pragma once

#include <vector>

#include "common/bp/eid/eid_pattern.hpp"
#include "common/bp/parse.hpp"
#include "common/config/node/routing_config.hpp"
#include "common/routing/endpoint_table.hpp"

namespace farlink::routing {

class ReassemblyRules {
public:
    ReassemblyRules(NodeNumber node, const config::RoutingConfig &config) : node_(node) {
        set_rules(config);
    }

    void set_rules(const config::RoutingConfig &config);
    /// Those for applications of this node are joined, too; borrowed.
    void set_endpoints(const EndpointTable &endpoints) { endpoints_ = &endpoints; }

    /// The endpoint is one of this node's services or applications.
    [[nodiscard]] bool is_here(const bp::EidView &endpoint) const;
    /// A fragment that requests custody is joined at its destination only: each fragment has a
    /// custodian of its own.
    [[nodiscard]] bool joins(const bp::BundleView &bundle) const;

private:
    NodeNumber node_;
    const EndpointTable *endpoints_ = nullptr;
    std::vector<bp::EidPattern> in_transit_;
};

}  // namespace farlink::routing
