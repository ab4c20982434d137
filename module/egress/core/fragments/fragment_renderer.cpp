// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/fragments/fragment_renderer.hpp"

#include <algorithm>

#include "common/bp/base/slices.hpp"
#include "common/bp/fragmentation/fragmenter.hpp"

namespace farlink::egress {
namespace {

/// The pieces of a fragment behind its head: the first one is `body`, the others are `rest`.
void set_pieces(TxBundle &tx, const bp::Fragment &fragment, std::span<const ByteView> slices,
                FragmentedBundles &cuts) {
    std::size_t pieces = 0;
    bp::for_each_piece(slices, fragment.from, fragment.end, [&](ByteView piece) {
        if (pieces++ == 0) tx.body = piece;
    });
    const std::size_t further = pieces - 1 + (fragment.tail.empty() ? 0 : 1);
    tx.rest = {};
    if (further == 0) return;
    const std::span<ByteView> rest = cuts.views(further);
    std::size_t at = 0;
    std::size_t seen = 0;
    bp::for_each_piece(slices, fragment.from, fragment.end, [&](ByteView piece) {
        if (seen++ > 0) rest[at++] = piece;
    });
    if (at < further) rest[at] = fragment.tail;
    tx.rest = rest;
}

}  // namespace

CutStep cut_bundle(const BundleToCut &bundle, FragmentedBundles &cuts, FragmentedBundles::Cut &cut,
                   std::uint64_t token, TransmitRoom &room) {
    bp::Fragmenter fragmenter(bundle.view, bundle.head, bundle.slices, cut.payload_bytes);
    while (!fragmenter.done()) {
        if (!room.is_left()) return CutStep::kPart;
        const auto fragment = fragmenter.next(std::min(cut.max_bytes, cut.room_bytes),
                                              cuts.octets(fragmenter.head_bound()),
                                              cuts.octets(fragmenter.tail_bound()));
        if (!fragment)
            return cut.room_bytes < cut.max_bytes ? CutStep::kContactFull : CutStep::kFailed;
        TxBundle &tx = room.out[room.count++];
        tx.head = fragment->head;
        set_pieces(tx, *fragment, bundle.slices, cuts);
        tx.size = fragment->size;
        tx.token = token++;
        tx.continues = cut.fragments > 0;
        room.bytes += tx.size;
        ++cut.fragments;
        cut.payload_bytes = fragmenter.cut();
        if (cut.room_bytes != FragmentedBundles::kAnyRoom) cut.room_bytes -= tx.size;
        if (cut.may_end_early) cut.payload_ends.push_back(cut.payload_bytes);
    }
    return CutStep::kWhole;
}

}  // namespace farlink::egress
