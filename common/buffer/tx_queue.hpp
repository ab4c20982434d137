// SPDX-License-Identifier: Apache-2.0
// Octets queued for a stream socket: copied pieces in blocks of its own, and references to slices.
// Owned by one link; one thread. Steady state allocates nothing: blocks and arrays are reused.
// Small pieces are copied together, which is cheaper than one kernel entry for each.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/buffer/ring.hpp"

namespace farlink {

class TxQueue {
public:
    /// Space for the next `size` octets (at most kBlockBytes) of the stream; fill, then commit().
    [[nodiscard]] MutableBytes reserve(std::size_t size);
    void commit(std::size_t size);
    /// Copies octets into the queue.
    void copy(ByteView octets);
    /// Queues octets without a copy; they must be valid until written() has passed them.
    void reference(ByteView octets);

    /// Fills `out` from the front of the queue; returns the number of entries set.
    [[nodiscard]] std::size_t gather(std::span<iovec> out, std::size_t max_bytes) const;
    /// The kernel has accepted `size` octets from the front.
    void written(std::uint64_t size);
    /// Drops the octets behind stream offset `end`, which is not yet written.
    void truncate(std::uint64_t end);
    /// Drops the octets from stream offset `begin` to `end`, none of them written; the octets
    /// behind move up, with their offsets.
    void erase(std::uint64_t begin, std::uint64_t end);
    void clear();

    /// Offsets in the stream of octets since construction or clear().
    [[nodiscard]] std::uint64_t queued_offset() const { return queued_; }
    [[nodiscard]] std::uint64_t written_offset() const { return written_; }
    [[nodiscard]] std::uint64_t pending() const { return queued_ - written_; }
    /// Memory of copied pieces.
    [[nodiscard]] std::uint64_t block_bytes() const { return blocks_.size() * kBlockBytes; }

    static constexpr std::size_t kBlockBytes = 64 * 1024;

private:
    struct Piece {
        const std::uint8_t *data = nullptr;
        std::size_t size = 0;
        bool copied = false;  ///< is in a block
    };
    using Block = std::unique_ptr<std::uint8_t[]>;

    void push(const std::uint8_t *data, std::size_t size, bool copied);
    void recycle_blocks();

    Ring<Piece> pieces_;
    Ring<Block> blocks_;  ///< blocks in use, oldest first; the last one is being filled
    std::vector<Block> spare_;
    std::size_t block_used_ = kBlockBytes;
    std::uint64_t queued_ = 0;
    std::uint64_t written_ = 0;
};

}  // namespace farlink
