// SPDX-License-Identifier: Apache-2.0
// The endpoints of this node's applications, and the links that lead to them.
// Owned by a core of ingress or storage.
// One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/bp/eid/eid.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::routing {

class EndpointTable {
public:
    /// Empty, and complete.
    explicit EndpointTable(NodeNumber node) : node_(node) {}
    /// With the endpoints of the configuration, which are down. Until the module of applications
    /// has reported all that there are, each service of the node may have an application, apart
    /// from those of the node itself.
    explicit EndpointTable(const config::NodeConfig &config);

    /// Returns the links that lead nowhere any more, and those that are up or down now.
    [[nodiscard]] std::vector<bus::EndpointEntry> handle(const bus::EndpointsChange &change);
    /// The module of applications is lost: no application receives, and it may come back.
    [[nodiscard]] std::vector<bus::EndpointEntry> handle_lost();

    /// The link to the application of that endpoint, or kNoLink where it is not known yet; nothing
    /// when there is no application.
    [[nodiscard]] std::optional<LinkId> find(const bp::EidView &endpoint) const {
        if (endpoints_.empty() && complete_) return std::nullopt;
        return look_up(endpoint);
    }
    [[nodiscard]] std::size_t size() const { return endpoints_.size(); }

private:
    struct Known {
        bp::Eid endpoint;
        LinkId link = kNoLink;
        bool up = false;
    };
    [[nodiscard]] std::optional<LinkId> look_up(bp::EidView endpoint) const;
    /// The local node is this one.
    [[nodiscard]] bp::EidView named(const bp::EidView &endpoint) const;
    void apply(const bus::EndpointEntry &entry, std::vector<bus::EndpointEntry> &changed);

    NodeNumber node_;
    std::uint64_t echo_service_ = 0;
    bool complete_ = true;
    void remove(const bp::Eid &endpoint);

    std::unordered_multimap<std::uint64_t, Known> endpoints_;  ///< by hash
    std::unordered_map<LinkId, bp::Eid> by_link_;
};

}  // namespace farlink::routing
