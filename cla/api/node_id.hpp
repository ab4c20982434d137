// SPDX-License-Identifier: Apache-2.0
// Node ids as peers spell them, read so that they can be compared.
// Values and pure functions.
// Any thread.
#pragma once

#include <optional>
#include <string_view>

#include "common/bp/eid/eid.hpp"

namespace farlink::cla {

struct NodeId {
    /// The node's administrative endpoint: ipn:10.0, dtn://node/.
    bp::Eid node;
    /// False when the text named another endpoint of that node (ipn:10.1, dtn://node/mail), which
    /// is not a node id (RFC 9171 section 4.2.5.2).
    bool proper = true;
};

/// Reads `ipn:10.0`, `ipn:0.10.0`, `ipn:10`, `dtn://node/`, `dtn://node`. Empty when the text names
/// no particular node: the null endpoint, the local node (`ipn:!.0`), another scheme, no URI.
[[nodiscard]] std::optional<NodeId> read_node_id(std::string_view text);

}  // namespace farlink::cla
