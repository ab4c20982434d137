// SPDX-License-Identifier: Apache-2.0
// The node that the configuration assigns to an endpoint: by hash for single endpoints and dtn
// nodes, in the order of the list for other patterns.
// Owned by a ForwardingTable; one thread.
// The narrowest entry applies: an endpoint, then a node, then the first pattern that matches.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/types.hpp"
#include "common/bp/eid/eid_pattern.hpp"

namespace farlink::routing {

class NameBook {
public:
    /// The first of equal patterns applies.
    void add(const bp::EidPattern &pattern, NodeNumber node) {
        if (pattern.is_endpoint())
            endpoints_.emplace(bp::Eid(pattern.endpoint()), node);
        else if (const auto name = pattern.dtn_node())
            dtn_nodes_.emplace(*name, node);
        else
            patterns_.push_back({pattern, node});
        depends_on_name_ |= pattern.depends_on_name();
    }
    /// The node of an entry for exactly this endpoint; 0: none.
    [[nodiscard]] NodeNumber find_endpoint(const bp::EidView &endpoint) const {
        if (endpoints_.empty()) return {};
        const auto found = endpoints_.find(endpoint);
        return found == endpoints_.end() ? NodeNumber{} : found->second;
    }
    /// The node of an entry for more than one endpoint; 0: none.
    [[nodiscard]] NodeNumber find_wider(const bp::EidView &endpoint) const {
        if (!dtn_nodes_.empty() && endpoint.scheme == bp::EidScheme::kDtn) {
            const auto found = dtn_nodes_.find(bp::dtn_node_of(endpoint.name));
            if (found != dtn_nodes_.end()) return found->second;
        }
        for (const Row &row : patterns_)
            if (row.pattern.matches(endpoint)) return row.node;
        return {};
    }
    [[nodiscard]] NodeNumber find(const bp::EidView &endpoint) const {
        const NodeNumber exact = find_endpoint(endpoint);
        return exact == NodeNumber{} ? find_wider(endpoint) : exact;
    }
    [[nodiscard]] bool empty() const {
        return endpoints_.empty() && dtn_nodes_.empty() && patterns_.empty();
    }
    /// Whether entries distinguish the endpoints of a dtn node.
    [[nodiscard]] bool depends_on_name() const { return depends_on_name_; }

private:
    struct Row {
        bp::EidPattern pattern;
        NodeNumber node;
    };
    /// For lookups without a copy of the name.
    struct NameHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const {
            return std::hash<std::string_view>{}(name);
        }
    };
    struct EidHash {
        using is_transparent = void;
        std::size_t operator()(const bp::EidView &eid) const { return bp::hash(eid); }
        std::size_t operator()(const bp::Eid &eid) const { return bp::hash(eid.view()); }
    };
    struct SameEid {
        using is_transparent = void;
        bool operator()(const bp::Eid &a, const bp::Eid &b) const { return a == b; }
        bool operator()(const bp::Eid &a, const bp::EidView &b) const { return a.view() == b; }
        bool operator()(const bp::EidView &a, const bp::Eid &b) const { return a == b.view(); }
    };

    std::unordered_map<bp::Eid, NodeNumber, EidHash, SameEid> endpoints_;
    std::unordered_map<std::string, NodeNumber, NameHash, std::equal_to<>> dtn_nodes_;
    std::vector<Row> patterns_;
    bool depends_on_name_ = false;
};

}  // namespace farlink::routing
