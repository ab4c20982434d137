// SPDX-License-Identifier: Apache-2.0
// The bundles that one read of a link completed: chains of slices and the slabs that hold them.
// Filled by a link's core, emptied by ingress, reused for the next read; one thread.
// Flat arrays, so that a read with a thousand small bundles costs no allocation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/buffer/slab.hpp"

namespace farlink {

/// `slices[first_slice .. +slice_count)` are the bundle's octets in order, `slabs[first_slab ..
/// +slab_count)` keep them alive; `size` is their sum in bytes. A bundle too large for memory comes
/// in pieces, each an entry of its own; the last one has the number of the bundle in its session.
/// It is broken off, and has no last piece, when the next bundle of its channel begins before that,
/// when an entry without octets comes, and when the session ends.
struct ReceivedBundle {
    std::uint64_t size = 0;
    std::uint32_t first_slice = 0;
    std::uint32_t slice_count = 0;
    std::uint32_t first_slab = 0;
    std::uint32_t slab_count = 0;
    bool more = false;        ///< the beginning, or a further piece, of a bundle; more follows
    bool is_further = false;  ///< it continues the bundle whose piece came before it
    /// Pieces of several bundles may arrive in turn, each in a channel of its own; one piece after
    /// the other within a channel. Whole bundles are in channel 0.
    std::uint32_t channel = 0;

    [[nodiscard]] bool is_piece() const { return more || is_further; }
    /// No more pieces of the bundle come.
    [[nodiscard]] bool breaks_off() const { return is_further && size == 0; }
};

struct ReceivedBundles {
    /// Number of the first bundle in its session, from 0; the others follow without a gap.
    /// Convergence layers that acknowledge set it; dispositions refer to it.
    std::uint64_t first_transfer = 0;
    std::vector<ReceivedBundle> bundles;
    std::vector<ByteView> slices;
    std::vector<SlabRef> slabs;
    bool has_pieces = false;  ///< some entries are pieces

    /// Bundles that begin here, and those whose last octet is here.
    [[nodiscard]] std::size_t begun() const {
        return count([](const ReceivedBundle &each) { return !each.is_further; });
    }
    [[nodiscard]] std::size_t completed() const {
        return count([](const ReceivedBundle &each) { return !each.more; });
    }
    [[nodiscard]] bool empty() const { return bundles.empty(); }
    [[nodiscard]] std::span<const ByteView> slices_of(const ReceivedBundle &bundle) const {
        return {slices.data() + bundle.first_slice, bundle.slice_count};
    }
    [[nodiscard]] std::span<const SlabRef> slabs_of(const ReceivedBundle &bundle) const {
        return {slabs.data() + bundle.first_slab, bundle.slab_count};
    }
    /// Adds a bundle that is one slice of `slab`.
    void add(const SlabRef &slab, ByteView octets) {
        if (slabs.empty() || slabs.back() != slab) slabs.push_back(slab);
        bundles.push_back({octets.size(), static_cast<std::uint32_t>(slices.size()), 1,
                           static_cast<std::uint32_t>(slabs.size() - 1), 1});
        slices.push_back(octets);
    }
    void clear() {
        bundles.clear();
        slices.clear();
        slabs.clear();
        has_pieces = false;
    }

private:
    template <class Predicate>
    [[nodiscard]] std::size_t count(Predicate predicate) const {
        if (!has_pieces) return bundles.size();
        return static_cast<std::size_t>(std::ranges::count_if(bundles, predicate));
    }
};

}  // namespace farlink
