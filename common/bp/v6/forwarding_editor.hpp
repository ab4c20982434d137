// SPDX-License-Identifier: Apache-2.0
// BPv6's half of ForwardingEditor (RFC 5050 section 5.4, RFC 6259 section 3.2).
// Plain functions; nothing is allocated while rendering.
// One thread.
#pragma once

#include "common/bp/forwarding_editor.hpp"

namespace farlink::bp::v6 {

/// The previous hop insertion block (type 5) naming `local_node`, complete (RFC 6259 section 2).
[[nodiscard]] Bytes make_previous_hop(const EidView &local_node);

[[nodiscard]] Result<std::size_t, ParseError> render(const BundleHead &head,
                                                     std::uint64_t residence_ms,
                                                     ByteView previous_hop, MutableBytes out);

}  // namespace farlink::bp::v6
