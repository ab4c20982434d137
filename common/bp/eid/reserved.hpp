// SPDX-License-Identifier: Apache-2.0
// Reserved endpoints (RFC 9758): those of no node, and those of the local node.
// Plain functions.
// Any thread.
#pragma once

#include "common/bp/eid/eid.hpp"

namespace farlink::bp {

/// The null endpoint, as `dtn:none` or as any service of `ipn:0`: nothing can be sent to it.
[[nodiscard]] constexpr bool leads_nowhere(const EidView &endpoint) {
    return endpoint.scheme == EidScheme::kNone ||
           (endpoint.scheme == EidScheme::kIpn && endpoint.node == 0);
}

/// `ipn:!.S`: a bundle with it as source or destination leaves no node.
[[nodiscard]] constexpr bool is_local_node(const EidView &endpoint) {
    return endpoint.scheme == EidScheme::kIpn && endpoint.node == kLocalNodeNumber;
}

}  // namespace farlink::bp
