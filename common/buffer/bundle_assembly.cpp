// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/bundle_assembly.hpp"

#include <algorithm>

#include "common/buffer/bundle_piece.hpp"

namespace farlink {

void BundleAssembly::add(const SlabRef &slab, ByteView octets) {
    if (octets.empty()) return;
    size_ += octets.size();
    if (!pieces_.empty()) {
        Piece &last = pieces_.back();
        if (last.slab == slab && last.octets.data() + last.octets.size() == octets.data()) {
            last.octets = {last.octets.data(), last.octets.size() + octets.size()};
            return;
        }
    }
    pieces_.push_back({slab, octets});
}

// Behind the first piece, which has as much as may be in memory, smaller ones do.
void BundleAssembly::make_room(std::size_t bytes, std::uint64_t above, ReceivedBundles &out) {
    const std::uint64_t most = begun_ ? std::min(above, kPieceBytes) : above;
    if (!pieces_.empty() && size_ + bytes > most) emit(out, true);
}

void BundleAssembly::emit(ReceivedBundles &out, bool more) {
    FARLINK_INVARIANT(!pieces_.empty());
    ReceivedBundle bundle;
    bundle.size = size_;
    bundle.first_slice = static_cast<std::uint32_t>(out.slices.size());
    bundle.slice_count = static_cast<std::uint32_t>(pieces_.size());
    bundle.first_slab = static_cast<std::uint32_t>(out.slabs.size());
    bundle.slab_count = bundle.slice_count;
    for (Piece &piece : pieces_) {
        out.slices.push_back(piece.octets);
        out.slabs.push_back(std::move(piece.slab));
    }
    bundle.more = more;
    bundle.is_further = begun_;
    out.bundles.push_back(bundle);
    out.has_pieces |= bundle.is_piece();
    clear();
    begun_ = more;
}

void BundleAssembly::break_off(ReceivedBundles &out) {
    if (begun_) {
        out.bundles.push_back({.more = true, .is_further = true});
        out.has_pieces = true;
    }
    clear();
}

bool BundleAssembly::compact(SlabPool &pool) {
    std::size_t end = pieces_.size();
    while (end > 0) {
        std::size_t begin = end;
        std::size_t bytes = 0;
        while (begin > 0 && joins(pieces_[begin - 1], bytes, pool))
            bytes += pieces_[--begin].octets.size();
        if (begin < end && !merge(begin, end, bytes, pool)) return false;
        end = begin < end ? begin : end - 1;
    }
    return true;
}

// A small piece of a shared slab is copied. A copied piece is copied again only together with at
// least as many octets behind it, so that a peer that sends single octets causes neither many
// pieces nor many copies.
bool BundleAssembly::joins(const Piece &piece, std::size_t following, const SlabPool &pool) {
    const std::size_t size = piece.octets.size();
    if (size + following > pool.slab_bytes()) return false;
    return piece.slab->pooled ? size <= piece.slab->capacity / 2 : size <= following;
}

bool BundleAssembly::merge(std::size_t begin, std::size_t end, std::size_t bytes, SlabPool &pool) {
    SlabRef own = pool.acquire_sized(static_cast<std::uint32_t>(bytes));
    if (!own) return false;
    std::uint8_t *to = own->data;
    for (std::size_t i = begin; i < end; ++i)
        to = std::copy(pieces_[i].octets.begin(), pieces_[i].octets.end(), to);
    pieces_[begin] = {own, {own->data, bytes}};
    const auto first = pieces_.begin() + static_cast<std::ptrdiff_t>(begin);
    pieces_.erase(first + 1, first + static_cast<std::ptrdiff_t>(end - begin));
    return true;
}

}  // namespace farlink
