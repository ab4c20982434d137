// SPDX-License-Identifier: Apache-2.0
// A bundle that is still arriving: the pieces that are here, as they lie in the slabs.
// Owned by one connection's receiving core; one thread.
// Nothing is copied while octets come fast; what waits is copied out of its slab by compact().
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/buffer/slab.hpp"

namespace farlink {

class BundleAssembly {
public:
    /// Appends octets that lie in `slab`; neighbours in memory become one piece.
    void add(const SlabRef &slab, ByteView octets);
    /// The bundle is complete: it moves to `out`. Must not be empty.
    void emit(ReceivedBundles &out);
    /// Copies what waits for its rest into memory of its own size, so that it pins no slab.
    /// False when the pool has no room for the copy; it may be tried again.
    [[nodiscard]] bool compact(SlabPool &pool);
    /// Lets go of the memory.
    void clear() {
        pieces_.clear();
        size_ = 0;
    }

    [[nodiscard]] bool empty() const { return pieces_.empty(); }
    /// Bytes so far.
    [[nodiscard]] std::uint64_t size() const { return size_; }

private:
    struct Piece {
        SlabRef slab;
        ByteView octets;
    };

    [[nodiscard]] static bool joins(const Piece &piece, std::size_t following,
                                    const SlabPool &pool);
    [[nodiscard]] bool merge(std::size_t begin, std::size_t end, std::size_t bytes, SlabPool &pool);

    std::vector<Piece> pieces_;
    std::uint64_t size_ = 0;
};

}  // namespace farlink
