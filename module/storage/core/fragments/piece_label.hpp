// SPDX-License-Identifier: Apache-2.0
// What stands in the label of a record that is a piece of a bundle too large for memory, before the
// endpoint's: which octets of which bundle it has.
// Plain functions; any thread.
// 7, offset (8), size of the bundle (8), identity of the spool (16), identity of the bundle (16),
// then the label that a whole bundle would have.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/base/siphash.hpp"
#include "module/storage/core/index/entry_table.hpp"

namespace farlink::storage {

struct PieceLabel {
    std::uint64_t offset = 0;        ///< of the piece in the bundle, bytes
    std::uint64_t bundle_bytes = 0;  ///< of the whole bundle
    Hash128 spool;                   ///< of all pieces that have come together
    Hash128 bundle;                  ///< the identity of the bundle
    ByteView endpoint;               ///< the rest of the label; borrowed
};

[[nodiscard]] Bytes encode_piece_label(const PieceLabel &label);
/// Empty when it is not the label of a piece, or not a valid one.
[[nodiscard]] std::optional<PieceLabel> decode_piece_label(ByteView label);

}  // namespace farlink::storage
