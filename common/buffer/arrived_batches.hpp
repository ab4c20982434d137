// SPDX-License-Identifier: Apache-2.0
// Batches for ingress of what a session of another module has received.
// Plain functions; the caller owns the batches.
// One thread.
#pragma once

#include <utility>

#include "common/buffer/batch.hpp"
#include "common/buffer/received_bundles.hpp"

namespace farlink {

/// Batches of the entries of `received`, in their order; a piece of a large bundle travels alone.
/// `begin()` returns a batch with the slices and slabs of `received` and without a bundle, which
/// `describe(entry, bundle)` completes; full ones go to `send(batch)`. One without a bundle is left
/// for `recycle(batch)`.
template <class Begin, class Describe, class Send, class Recycle>
void make_arrived_batches(const ReceivedBundles &received, Begin begin, Describe describe,
                          Send send, Recycle recycle) {
    BatchPtr batch = begin();
    auto transfer = static_cast<std::uint32_t>(received.first_transfer);
    for (std::size_t entry = 0; entry < received.bundles.size(); ++entry) {
        const ReceivedBundle &arrived = received.bundles[entry];
        if (arrived.is_piece() && !batch->bundles.empty()) send(std::exchange(batch, begin()));
        if (!arrived.breaks_off()) {
            BatchedBundle bundle;
            bundle.size = arrived.size;
            bundle.first_slice = arrived.first_slice;
            bundle.slice_count = arrived.slice_count;
            bundle.transfer = transfer;
            describe(entry, bundle);
            batch->bytes += bundle.size;
            batch->bundles.push_back(bundle);
        }
        if (!arrived.more) ++transfer;
        if (!arrived.is_piece()) continue;
        const std::uint64_t left = arrived.more ? BundlePiece::kUnknown : 0;
        batch->piece = BundlePiece::of_session(arrived.is_further, left, arrived.channel);
        send(std::exchange(batch, begin()));
    }
    if (batch->bundles.empty())
        recycle(std::move(batch));
    else
        send(std::move(batch));
}

}  // namespace farlink
