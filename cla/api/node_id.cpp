// SPDX-License-Identifier: Apache-2.0
#include "cla/api/node_id.hpp"

#include <string>

namespace farlink::cla {
namespace {

std::optional<NodeId> read_dtn(const bp::Eid &eid) {
    // "//node/demux": RFC 9171 section 4.2.5.1.1; the node id has no demux.
    const std::string_view name = eid.view().name;
    const std::size_t slash = name.find('/', 2);
    const std::string_view node = name.substr(0, slash + 1);
    return NodeId{bp::Eid(bp::EidView{bp::EidScheme::kDtn, 0, 0, node}), node == name};
}

}  // namespace

std::optional<NodeId> read_node_id(std::string_view text) {
    auto eid = bp::Eid::parse(text);
    // Some write the node alone: "ipn:10", "dtn://node".
    if (!eid) eid = bp::Eid::parse(std::string(text) + ".0");
    if (!eid) eid = bp::Eid::parse(std::string(text) + "/");
    if (!eid) return std::nullopt;
    const bp::EidView view = eid->view();
    if (view.scheme == bp::EidScheme::kDtn) return read_dtn(*eid);
    if (view.scheme != bp::EidScheme::kIpn || view.node == bp::kLocalNodeNumber || view.node == 0)
        return std::nullopt;
    return NodeId{bp::Eid(view.node, 0), view.service == 0};
}

}  // namespace farlink::cla
