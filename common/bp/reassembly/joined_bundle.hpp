// SPDX-License-Identifier: Apache-2.0
// Joins the fragments of a bundle to the bundle that was cut, without a copy of its payload
// (RFC 9171 section 5.9, RFC 5050 section 5.9).
// A plain function over borrowed fragments; any thread.
// The primary block is again octet for octet what its source encoded, if that encoding was
// deterministic, with a CRC of the same type: what signs it verifies. The extension blocks are
// those of the fragment at offset 0; of BPv6, those behind the payload are the last fragment's.
// What is joined of forged fragments need not be a bundle: parse() decides.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/base/bytes.hpp"

namespace farlink::bp {

/// The bundle is `head`, the pieces of `payload`, and `tail`.
struct JoinedBundle {
    Bytes head;                     ///< up to the payload's data
    std::vector<ByteView> payload;  ///< borrowed from the fragments
    Bytes tail;                     ///< behind it
};

/// `fragments` were accepted by parse() and come by offset; where they overlap, the octets of the
/// earlier ones count. Empty when they are not fragments of one bundle, or leave a gap.
[[nodiscard]] std::optional<JoinedBundle> join(std::span<const ByteView> fragments);

}  // namespace farlink::bp
