// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/receive_memory.hpp"

#include <algorithm>
#include <cstring>

namespace farlink::cla::ltp {
namespace {

/// The largest chunk of a block whose segments alternate with those of others; a chunk is at least
/// as large as what has arrived of the block.
constexpr std::uint64_t kLongestReserve = 64 * 1024;
/// A block may hold at most so many times what has arrived of it.
constexpr std::uint64_t kMostPerArrived = 4;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

/// The last chunk that begins at or before `offset`, or kNoNode.
std::uint32_t chunk_before(const BlockMemory &block, const ChunkPool &pool, std::uint64_t offset) {
    const ChunkList &chunks = block.chunks;
    if (chunks.empty() || pool[chunks.head()].value.begin > offset) return kNoNode;
    if (pool[chunks.tail()].value.begin <= offset) return chunks.tail();
    std::uint32_t at = block.finger;
    if (at == kNoNode || pool[at].value.begin > offset) at = chunks.head();
    // The tail begins behind `offset`.
    while (pool[pool[at].next].value.begin <= offset) at = pool[at].next;
    return at;
}

}  // namespace

bool ReceiveMemory::fresh_slab() {
    left_.insert(left_.end(), tenants_.begin(), tenants_.end());
    tenants_.clear();
    slab_.reset();
    slab_ = slabs_.acquire();
    used_ = 0;
    grower_ = kNobody;
    return static_cast<bool>(slab_);
}

bool ReceiveMemory::reach(std::uint32_t slot, BlockMemory &block, ChunkPool &pool,
                          std::uint64_t begin, std::uint64_t end) {
    begin = std::max(begin, block.passed);
    const Interval octets{begin, end};
    block.arrived += octets.size();
    // A block as large as the last one begins in a new slab if it does not fit the rest of this
    // one.
    if (block.chunks.empty() && slab_ && slab_->capacity - used_ < expected_ &&
        expected_ <= slab_->capacity / 2)
        slab_.reset();
    std::uint32_t at = chunk_before(block, pool, begin);
    block.finger = at;
    while (begin < end) {
        const std::uint32_t next = at == kNoNode ? block.chunks.head() : pool[at].next;
        const std::uint64_t limit = next == kNoNode ? kNoLimit : pool[next].value.begin;
        if (at != kNoNode) begin = std::max(begin, pool[at].value.end());
        if (begin >= end) break;
        if (begin == limit)
            at = next;
        else if (!place(slot, block, pool, at, {begin, std::min(end, limit)}, limit)) {
            block.arrived -= octets.size();
            publish_share();
            return false;
        }
    }
    publish_share();
    if (block.finger == kNoNode) block.finger = block.chunks.head();
    return true;
}

// Makes memory for the first of these octets at least, behind chunk `before`, and sets `before` to
// the chunk that has them. A gap between the two is included while its size is in proportion.
bool ReceiveMemory::place(std::uint32_t slot, BlockMemory &block, ChunkPool &pool,
                          std::uint32_t &before, Interval octets, std::uint64_t limit) {
    if ((!slab_ || used_ == slab_->capacity) && !fresh_slab()) return false;
    const std::uint64_t most = kMostPerArrived * block.arrived;
    std::uint64_t spare = most > block.held + octets.size() ? most - block.held - octets.size() : 0;
    const std::uint64_t covered = before == kNoNode ? block.passed : pool[before].value.end();
    if (const std::uint64_t missing = octets.begin - covered; missing <= spare) {
        octets.begin = covered;
        spare -= missing;
    }
    const bool grows =
        grower_ == slot && before != kNoNode && grower_chunk_ == before && covered == octets.begin;
    std::uint64_t wanted = octets.size();
    if (!grows) {
        const std::uint64_t reserve = std::min({block.held, kLongestReserve, wanted + spare});
        wanted = std::min(std::max(wanted, reserve), limit - octets.begin);
    }
    const std::uint64_t free = slab_->capacity - used_;
    auto more = static_cast<std::uint32_t>(std::min(free, wanted));
    const auto fits = [&] { return room_.held + more + block.spared <= room_.limit; };
    // Without the reserve they may fit.
    if (!fits()) more = static_cast<std::uint32_t>(std::min(free, octets.size()));
    if (!fits()) return false;
    if (grows) {
        pool[before].value.size += more;
    } else {
        before = block.chunks.insert_after(pool, before,
                                           Chunk{slab_, slab_->data + used_, octets.begin, more});
        tenants_.push_back(slot);
    }
    grower_ = slot;
    grower_chunk_ = before;
    used_ += more;
    held_ += more;
    room_.held += more;
    block.held += more;
    return true;
}

// Ends the count of the block's octets, and the growth of its chunks.
void ReceiveMemory::let_go(std::uint32_t slot, BlockMemory &block) {
    held_ -= block.held;
    room_.held -= block.held;
    block.held = block.arrived = 0;
    block.finger = kNoNode;
    if (grower_ == slot) grower_ = kNobody;
    publish_share();
}

ChunkList ReceiveMemory::take_front(std::uint32_t slot, BlockMemory &block, ChunkPool &pool,
                                    std::uint64_t end) {
    ChunkList front;
    std::uint64_t taken = 0;
    while (!block.chunks.empty()) {
        const std::uint32_t head = block.chunks.head();
        Chunk &first = pool[head].value;
        if (first.begin >= end) break;
        const auto part =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(first.size, end - first.begin));
        Chunk piece{first.slab, first.data, first.begin, part};
        if (part < first.size) {
            first.data += part;
            first.begin += part;
            first.size -= part;
        } else {
            if (grower_ == slot && grower_chunk_ == head) grower_ = kNobody;
            block.chunks.pop_front(pool);
        }
        front.push_back(pool, std::move(piece));
        taken += part;
    }
    block.finger = kNoNode;
    block.passed = end;
    block.arrived -= std::min(block.arrived, taken);
    block.held -= taken;
    held_ -= taken;
    room_.held -= taken;
    publish_share();
    return front;
}

void ReceiveMemory::finish(std::uint32_t slot, BlockMemory &block, ChunkPool &pool,
                           std::uint64_t size) {
    ChunkList &chunks = block.chunks;
    const std::uint32_t tail = chunks.tail();
    chunks.remove_if(pool, [size](const Chunk &chunk) { return chunk.begin >= size; });
    const bool grows = grower_ == slot && grower_chunk_ == tail && tail == chunks.tail();
    let_go(slot, block);
    if (chunks.empty()) return;
    Chunk &last = pool[chunks.tail()].value;
    FARLINK_INVARIANT(size <= last.end());
    const auto spare = static_cast<std::uint32_t>(last.end() - size);
    last.size -= spare;
    if (grows) used_ -= spare;
    expected_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, 0xffffffffU));
}

void ReceiveMemory::discard(std::uint32_t slot, BlockMemory &block, ChunkPool &pool) {
    block.chunks.clear(pool);
    let_go(slot, block);
    rest();
}

void ReceiveMemory::move_out(std::uint32_t slot, BlockMemory &block, ChunkPool &pool) {
    ChunkList &chunks = block.chunks;
    if (chunks.empty() || grower_ == slot) return;
    const bool alone = chunks.head() == chunks.tail() && !pool[chunks.head()].value.slab->pooled;
    if (alone || block.held > slabs_.slab_bytes() / kSmallShare) return;
    const auto bytes = static_cast<std::uint32_t>(block.held);
    const SlabRef own =
        leaving_ ? slabs_.acquire_sized_beyond_limit(bytes) : slabs_.acquire_sized(bytes);
    if (!own) return;
    ChunkList moved;
    std::uint8_t *to = own->data;
    for (; !chunks.empty(); chunks.pop_front(pool)) {
        const Chunk &chunk = pool[chunks.head()].value;
        const Chunk copy{own, to, chunk.begin, chunk.size};
        std::memcpy(to, chunk.data, chunk.size);
        to += chunk.size;
        if (!moved.empty() && pool[moved.tail()].value.end() == copy.begin)
            pool[moved.tail()].value.size += copy.size;
        else
            moved.push_back(pool, copy);
    }
    chunks = moved;
    block.finger = kNoNode;
}

bool ReceiveMemory::leave_slab() {
    if (!slab_ || used_ > slab_->capacity / kSmallShare) return false;
    left_.insert(left_.end(), tenants_.begin(), tenants_.end());
    tenants_.clear();
    slab_.reset();
    used_ = 0;
    grower_ = kNobody;
    leaving_ = true;
    return true;
}

void ReceiveMemory::write(const BlockMemory &block, ChunkPool &pool, std::uint64_t offset,
                          ByteView octets) {
    std::uint32_t at = chunk_before(block, pool, offset);
    while (!octets.empty()) {
        const Chunk &chunk = pool[at].value;
        if (offset < chunk.end()) {
            const auto part = static_cast<std::size_t>(
                std::min<std::uint64_t>(octets.size(), chunk.end() - offset));
            std::memcpy(chunk.data + (offset - chunk.begin), octets.data(), part);
            octets = octets.subspan(part);
            offset += part;
        }
        at = pool[at].next;
    }
}

}  // namespace farlink::cla::ltp
