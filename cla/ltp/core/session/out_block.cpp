// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/out_block.hpp"

#include <algorithm>
#include <memory>

namespace farlink::cla::ltp {

OutBlock OutBlock::make(MemoryPool &pool, std::span<const BlockPiece> pieces, std::uint64_t begin) {
    OutBlock block;
    block.begin_ = block.end_ = begin;
    std::size_t copied = 0;
    for (const BlockPiece &piece : pieces) copied += piece.transient ? piece.octets.size() : 0;
    block.memory_bytes_ = static_cast<std::uint32_t>(pieces.size() * sizeof(Piece) + copied);
    std::uint8_t *const memory = pool.acquire(block.memory_bytes_);
    block.pieces_ = reinterpret_cast<Piece *>(memory);
    std::uint8_t *to = memory + pieces.size() * sizeof(Piece);
    for (const BlockPiece &piece : pieces) {
        if (piece.octets.empty()) continue;
        const std::uint8_t *data = piece.octets.data();
        if (piece.transient) {
            data = to;
            to = std::copy(piece.octets.begin(), piece.octets.end(), to);
        }
        block.end_ += piece.octets.size();
        std::construct_at(&block.pieces_[block.count_++], data, block.end_);
    }
    return block;
}

void OutBlock::release(MemoryPool &pool) {
    if (pieces_ != nullptr) pool.release(reinterpret_cast<std::uint8_t *>(pieces_), memory_bytes_);
    *this = {};
}

std::uint32_t OutBlock::locate(std::uint64_t offset) const {
    std::uint32_t at = finger_;
    if (at >= count_ || begin_of(at) > offset) {
        const Piece *const found = std::upper_bound(
            pieces_, pieces_ + count_, offset,
            [](std::uint64_t wanted, const Piece &piece) { return wanted < piece.end; });
        at = static_cast<std::uint32_t>(found - pieces_);
    }
    while (pieces_[at].end <= offset) ++at;
    return finger_ = at;
}

}  // namespace farlink::cla::ltp
