// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/tx_queue.hpp"

#include <algorithm>

namespace farlink {

MutableBytes TxQueue::reserve(std::size_t size) {
    FARLINK_INVARIANT(size <= kBlockBytes);
    if (kBlockBytes - block_used_ < size) {
        if (spare_.empty()) {
            blocks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(kBlockBytes));
        } else {
            blocks_.push_back(std::move(spare_.back()));
            spare_.pop_back();
        }
        block_used_ = 0;
    }
    return {blocks_.back().get() + block_used_, size};
}

void TxQueue::commit(std::size_t size) {
    push(blocks_.back().get() + block_used_, size, true);
    block_used_ += size;
}

void TxQueue::copy(ByteView octets) {
    while (!octets.empty()) {
        const std::size_t part = std::min(octets.size(), kBlockBytes);
        std::memcpy(reserve(part).data(), octets.data(), part);
        commit(part);
        octets = octets.subspan(part);
    }
}

void TxQueue::reference(ByteView octets) {
    push(octets.data(), octets.size(), false);
}

void TxQueue::push(const std::uint8_t *data, std::size_t size, bool copied) {
    if (size == 0) return;
    queued_ += size;
    if (!pieces_.empty()) {
        Piece &last = pieces_.back();
        if (last.copied == copied && last.data + last.size == data) {
            last.size += size;
            return;
        }
    }
    pieces_.push_back({data, size, copied});
}

std::size_t TxQueue::gather(std::span<iovec> out, std::size_t max_bytes) const {
    std::size_t count = 0;
    std::size_t bytes = 0;
    while (count < out.size() && count < pieces_.size() && bytes < max_bytes) {
        const Piece &piece = pieces_[count];
        // iovec is shared with readv and so wants a mutable address; writing only reads it.
        out[count] = {const_cast<std::uint8_t *>(piece.data), piece.size};
        bytes += piece.size;
        ++count;
    }
    return count;
}

void TxQueue::written(std::uint64_t size) {
    FARLINK_INVARIANT(size <= pending());
    written_ += size;
    while (size > 0) {
        Piece &front = pieces_.front();
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(size, front.size));
        front.data += part;
        front.size -= part;
        size -= part;
        if (front.size == 0) pieces_.pop_front();
    }
    recycle_blocks();
}

// A block is free once no piece lies in it; pieces use blocks in order.
void TxQueue::recycle_blocks() {
    const Piece *oldest = nullptr;
    for (std::size_t i = 0; i < pieces_.size() && oldest == nullptr; ++i)
        if (pieces_[i].copied) oldest = &pieces_[i];
    const auto holds = [oldest](const Block &block) {
        return oldest != nullptr && oldest->data >= block.get() &&
               oldest->data < block.get() + kBlockBytes;
    };
    while (blocks_.size() > 1 && !holds(blocks_.front())) spare_.push_back(blocks_.pop_front());
    if (pieces_.empty() && !blocks_.empty()) block_used_ = 0;
}

void TxQueue::truncate(std::uint64_t end) {
    FARLINK_INVARIANT(end >= written_ && end <= queued_);
    while (queued_ > end) {
        Piece &last = pieces_.back();
        const auto part =
            static_cast<std::size_t>(std::min<std::uint64_t>(queued_ - end, last.size));
        last.size -= part;
        queued_ -= part;
        if (last.size == 0) pieces_.pop_back();
    }
}

void TxQueue::erase(std::uint64_t begin, std::uint64_t end) {
    FARLINK_INVARIANT(begin <= end && end <= queued_);
    std::vector<Piece> behind;  // last one first
    while (queued_ > end) {
        Piece &last = pieces_.back();
        const auto part =
            static_cast<std::size_t>(std::min<std::uint64_t>(queued_ - end, last.size));
        last.size -= part;
        queued_ -= part;
        behind.push_back({last.data + last.size, part, last.copied});
        if (last.size == 0) pieces_.pop_back();
    }
    truncate(begin);
    for (; !behind.empty(); behind.pop_back()) {
        pieces_.push_back(behind.back());
        queued_ += behind.back().size;
    }
}

void TxQueue::clear() {
    pieces_.clear();
    while (!blocks_.empty()) spare_.push_back(blocks_.pop_front());
    block_used_ = kBlockBytes;
    queued_ = written_ = 0;
}

}  // namespace farlink
