// SPDX-License-Identifier: Apache-2.0
// A bundle in reception: the pieces received so far, in the slabs that they were read into.
// Owned by one connection's receiving core; one thread.
// Octets that arrive fast are not copied; compact() copies waiting pieces out of their slabs.
// A bundle too large for memory leaves in pieces while it arrives.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/buffer/slab.hpp"

namespace farlink {

class BundleAssembly {
public:
    /// Appends octets in `slab`; adjacent octets become one piece.
    void add(const SlabRef &slab, ByteView octets);
    /// add() for bundles of which no more than `above` octets may be here: when these would exceed
    /// it, those before them move to `out`, as a piece of the bundle. So the last piece is never
    /// empty.
    void add(const SlabRef &slab, ByteView octets, std::uint64_t above, ReceivedBundles &out) {
        if (begun_ || size_ + octets.size() > above) [[unlikely]]
            make_room(octets.size(), above, out);
        add(slab, octets);
    }
    /// The bundle is complete: it moves to `out`, or its last piece does. Must not be empty.
    void emit(ReceivedBundles &out) { emit(out, false); }
    /// The rest of the bundle will not come: as clear(), and if its beginning has left, an entry
    /// without octets goes to `out`.
    void break_off(ReceivedBundles &out);
    /// Copies waiting pieces into memory of their own size, so that they pin no slab.
    /// False if the pool has no room for the copy; the caller may try again.
    [[nodiscard]] bool compact(SlabPool &pool);
    /// Releases the memory.
    void clear() {
        pieces_.clear();
        size_ = 0;
        begun_ = false;
    }

    [[nodiscard]] bool empty() const { return pieces_.empty(); }
    /// Bytes that are here.
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// The beginning of the bundle has left as a piece.
    [[nodiscard]] bool in_pieces() const { return begun_; }

private:
    struct Piece {
        SlabRef slab;
        ByteView octets;
    };

    [[nodiscard]] static bool joins(const Piece &piece, std::size_t following,
                                    const SlabPool &pool);
    void make_room(std::size_t bytes, std::uint64_t above, ReceivedBundles &out);
    void emit(ReceivedBundles &out, bool more);
    [[nodiscard]] bool merge(std::size_t begin, std::size_t end, std::size_t bytes, SlabPool &pool);

    std::vector<Piece> pieces_;
    std::uint64_t size_ = 0;
    bool begun_ = false;
};

}  // namespace farlink
