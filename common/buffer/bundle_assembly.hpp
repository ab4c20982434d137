// SPDX-License-Identifier: Apache-2.0
// A bundle in reception: the pieces received so far, in the slabs that they were read into.
// Owned by one connection's receiving core; one thread.
// Octets that arrive fast are not copied; compact() copies waiting pieces out of their slabs.
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
    /// The bundle is complete: it moves to `out`. Must not be empty.
    void emit(ReceivedBundles &out);
    /// Copies waiting pieces into memory of their own size, so that they pin no slab.
    /// False if the pool has no room for the copy; the caller may try again.
    [[nodiscard]] bool compact(SlabPool &pool);
    /// Releases the memory.
    void clear() {
        pieces_.clear();
        size_ = 0;
    }

    [[nodiscard]] bool empty() const { return pieces_.empty(); }
    /// Bytes received so far.
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
