// SPDX-License-Identifier: Apache-2.0
// The changes of a bundle at this hop: previous node, hop count (a new one, too, where that is
// configured), bundle age, their CRCs, and unknown blocks with the flag to be discarded. All other
// octets are forwarded unchanged, BPSec blocks included.
// A ForwardingEditor belongs to one egress; one thread. BPv6 and BPv7.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/bp/base/bundle_head.hpp"
#include "common/bp/base/parse_error.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bp {

class ForwardingEditor {
public:
    /// `local_node` becomes the previous node (RFC 9171 section 4.4.1; RFC 6259 for BPv6).
    explicit ForwardingEditor(EidView local_node);

    /// An upper bound of what render() writes for this head, in bytes.
    [[nodiscard]] std::size_t bound(const BundleHead &head) const {
        return head.octets.size() + kGrowth;
    }
    /// Writes the head for the next hop to `out` (at least bound() bytes) and returns its size.
    /// `residence_ms` is what bundle age grows by. The head was accepted by parse(), so the only
    /// failure is kHopLimitExceeded (RFC 9171 section 4.4.3), found here and at parse alike.
    [[nodiscard]] Result<std::size_t, ParseError> render(const BundleHead &head,
                                                         std::uint64_t residence_ms,
                                                         MutableBytes out) const;

private:
    static constexpr std::size_t kGrowth = 416;
    Bytes previous_nodes_v7_;  ///< previous node blocks, one for each short block number
    Bytes previous_hop_v6_;    ///< RFC 6259 block, complete
};

/// BPv6 only, rare: a copy of a bundle whose blocks behind the payload carry instructions for this
/// node (drop, mark as not processed); `bundle` is contiguous and was accepted by parse().
[[nodiscard]] Bytes apply_trailing_blocks(ByteView bundle);

}  // namespace farlink::bp
