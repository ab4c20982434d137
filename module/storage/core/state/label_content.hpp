// SPDX-License-Identifier: Apache-2.0
// What a record of the log holds, by its label: a whole bundle, a stripe of one, a fragment that is
// joined with others at this node, or a piece of a bundle too large for memory.
// Plain functions; any thread.
// All readers of records distinguish them here.
#pragma once

#include <variant>

#include "common/base/bytes.hpp"
#include "module/storage/core/fragments/fragment_label.hpp"
#include "module/storage/core/fragments/piece_label.hpp"
#include "module/storage/core/state/stripe_label.hpp"

namespace farlink::storage {

/// Not a valid label of any kind.
struct UnknownLabel {
    ByteView endpoint;  ///< empty
};

/// A bundle in one record. A fragment that is not joined here is one, too.
struct WholeLabel {
    ByteView endpoint;  ///< all of the label; borrowed
};

using LabelContent = std::variant<UnknownLabel, WholeLabel, StripeLabel, FragmentLabel, PieceLabel>;

/// The endpoint borrows `label`.
[[nodiscard]] LabelContent content_of(ByteView label);
/// The part that decode_label() reads; empty when the label is not valid.
[[nodiscard]] ByteView endpoint_in(ByteView label);

/// Whether the octets of the piece, so many, lie inside of its bundle.
[[nodiscard]] inline bool lies_inside(const PieceLabel &piece, std::uint64_t bytes) {
    return bytes > 0 && bytes <= piece.bundle_bytes - piece.offset;
}

}  // namespace farlink::storage
