// SPDX-License-Identifier: Apache-2.0
// BPv7's half of ForwardingEditor: the head of a bundle as it leaves this node (RFC 9171
// section 5.4). A PreviousNode belongs to one ForwardingEditor; nothing is allocated while
// rendering. One thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/bp/base/bundle_head.hpp"
#include "common/bp/base/parse_error.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/bp/v7/block.hpp"

namespace farlink::bp::v7 {

/// Previous node blocks (type 6) naming `local_node`, one for each short block number, ready to be
/// copied. Their CRC-32C therefore costs nothing at run time, and protects them on convergence
/// layers without checksums.
[[nodiscard]] Bytes make_previous_nodes(const EidView &local_node);

[[nodiscard]] Result<std::size_t, ParseError> render(const BundleHead &head,
                                                     std::uint64_t residence_ms,
                                                     ByteView previous_nodes, MutableBytes out);

}  // namespace farlink::bp::v7
