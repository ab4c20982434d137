// SPDX-License-Identifier: Apache-2.0
// BPv6's half of ForwardingEditor (RFC 5050 section 5.4, RFC 6259 section 3.2).
// Plain functions; nothing is allocated while rendering.
// One thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/bp/base/bundle_head.hpp"
#include "common/bp/base/parse_error.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bp::v6 {

/// The previous hop insertion block (type 5) naming `local_node`, complete (RFC 6259 section 2).
[[nodiscard]] Bytes make_previous_hop(const EidView &local_node);

[[nodiscard]] Result<std::size_t, ParseError> render(const BundleHead &head,
                                                     std::uint64_t residence_ms,
                                                     ByteView previous_hop, MutableBytes out);

/// See bp::apply_trailing_blocks().
[[nodiscard]] Bytes apply_trailing_blocks(ByteView bundle);

}  // namespace farlink::bp::v6
