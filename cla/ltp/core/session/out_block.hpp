// SPDX-License-Identifier: Apache-2.0
// The octets of a block that is being sent, or of a part of one: a list of pieces, and behind it
// the copied octets.
// Owned by a sending session, its memory by the engine's pool; one thread.
// Stable octets are referenced until the block is released, and never copied.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "cla/ltp/core/memory/memory_pool.hpp"
#include "common/base/bytes.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla::ltp {

/// A piece of a block as the client service gives it.
struct BlockPiece {
    ByteView octets;
    bool transient = false;  ///< valid during the call only: copied
};

class OutBlock {
public:
    /// `begin`: the offset of the octets in the block that they are a part of.
    [[nodiscard]] static OutBlock make(MemoryPool &pool, std::span<const BlockPiece> pieces,
                                       std::uint64_t begin = 0);
    void release(MemoryPool &pool);

    /// Octets that are here.
    [[nodiscard]] std::uint64_t size() const { return end_ - begin_; }
    /// Where they end in the block.
    [[nodiscard]] std::uint64_t end() const { return end_; }
    /// Calls `each(view)` for the octets [offset, offset + size), in order.
    template <class Each>
    void gather(std::uint64_t offset, std::uint64_t size, Each &&each) const {
        for (std::uint32_t at = locate(offset); size > 0; ++at) {
            const Piece &piece = pieces_[at];
            const std::uint64_t part = std::min(size, piece.end - offset);
            each(ByteView(piece.data + (offset - begin_of(at)), static_cast<std::size_t>(part)));
            offset += part;
            size -= part;
        }
    }

private:
    struct Piece {
        const std::uint8_t *data = nullptr;
        std::uint64_t end = 0;  ///< offset in the block
    };

    [[nodiscard]] std::uint64_t begin_of(std::uint32_t piece) const {
        return piece == 0 ? begin_ : pieces_[piece - 1].end;
    }
    [[nodiscard]] std::uint32_t locate(std::uint64_t offset) const;

    Piece *pieces_ = nullptr;
    std::uint32_t count_ = 0;
    mutable std::uint32_t finger_ = 0;  ///< the piece where the last search ended
    std::uint32_t memory_bytes_ = 0;
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace farlink::cla::ltp
