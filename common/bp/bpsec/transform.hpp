// SPDX-License-Identifier: Apache-2.0
// Octets in pieces through a cipher: from where they lie to where there is room.
// Plain functions; the pieces of both sides need not match.
// One thread, that of the cipher.
#pragma once

#include <span>
#include <vector>

#include "common/bp/base/slices.hpp"
#include "common/bp/bpsec/crypto/gcm.hpp"

namespace farlink::bp::bpsec {

/// Writes the first `size` octets of `from` to `room`, which is as large at least, and appends the
/// pieces that were written to `made`. Both may be the same memory in the same pieces.
void transform_pieces(Gcm &gcm, std::span<const ByteView> from, std::uint64_t size,
                      std::span<const MutableBytes> room, std::vector<ByteView> &made);

/// The same for a check alone: what comes out is dropped.
void transform_and_drop(Gcm &gcm, std::span<const ByteView> from, std::uint64_t size);

}  // namespace farlink::bp::bpsec
