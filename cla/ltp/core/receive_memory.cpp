// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/receive_memory.hpp"

#include <algorithm>
#include <cstring>

namespace farlink::cla::ltp {
namespace {

/// A block whose segments come in turns with others' gets chunks of at least as much as it has,
/// and at most this.
constexpr std::uint64_t kLongestReserve = 64 * 1024;

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

bool ReceiveMemory::reach(std::uint32_t slot, ChunkList &chunks, ChunkPool &pool,
                          std::uint64_t end) {
    std::uint64_t begin = chunks.empty() ? 0 : pool[chunks.tail()].value.end();
    if (end <= begin) return true;
    // A block that would not fit the rest of the slab, as far as the last one tells, begins anew.
    if (begin == 0 && slab_ && slab_->capacity - used_ < expected_ &&
        expected_ <= slab_->capacity / 2)
        slab_.reset();
    while (begin < end) {
        if ((!slab_ || used_ == slab_->capacity) && !fresh_slab()) return false;
        const std::uint64_t room = slab_->capacity - used_;
        const bool grows = grower_ == slot && !chunks.empty();
        const std::uint64_t reserve = grows ? 0 : std::min(begin, kLongestReserve);
        const auto more =
            static_cast<std::uint32_t>(std::min(room, std::max(end - begin, reserve)));
        if (grows) {
            pool[chunks.tail()].value.size += more;
        } else {
            chunks.push_back(pool, Chunk{slab_, slab_->data + used_, begin, more});
            tenants_.push_back(slot);
        }
        grower_ = slot;
        used_ += more;
        held_ += more;
        begin += more;
    }
    return true;
}

void ReceiveMemory::finish(std::uint32_t slot, ChunkList &chunks, ChunkPool &pool,
                           std::uint64_t size) {
    chunks.for_each(pool, [this](const Chunk &chunk) { held_ -= chunk.size; });
    const std::uint32_t tail = chunks.tail();
    chunks.remove_if(pool, [size](const Chunk &chunk) { return chunk.begin >= size; });
    const bool grows = grower_ == slot && tail == chunks.tail();
    if (grower_ == slot) grower_ = kNobody;
    if (chunks.empty()) return;
    Chunk &last = pool[chunks.tail()].value;
    FARLINK_INVARIANT(size <= last.end());
    const auto spare = static_cast<std::uint32_t>(last.end() - size);
    last.size -= spare;
    if (grows) used_ -= spare;
    expected_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, 0xffffffffU));
}

void ReceiveMemory::discard(std::uint32_t slot, ChunkList &chunks, ChunkPool &pool) {
    chunks.for_each(pool, [this](const Chunk &chunk) { held_ -= chunk.size; });
    chunks.clear(pool);
    if (grower_ == slot) grower_ = kNobody;
    rest();
}

void ReceiveMemory::move_out(std::uint32_t slot, ChunkList &chunks, ChunkPool &pool) {
    if (chunks.empty() || grower_ == slot) return;
    const std::uint64_t size = pool[chunks.tail()].value.end();
    const bool alone = chunks.head() == chunks.tail() && !pool[chunks.head()].value.slab->pooled;
    if (alone || size > slabs_.slab_bytes() / kSmallShare) return;
    SlabRef own = slabs_.acquire_sized(static_cast<std::uint32_t>(size));
    if (!own) return;
    chunks.for_each(pool, [&own](const Chunk &chunk) {
        std::memcpy(own->data + chunk.begin, chunk.data, chunk.size);
    });
    chunks.clear(pool);
    std::uint8_t *const data = own->data;
    chunks.push_back(pool, Chunk{std::move(own), data, 0, static_cast<std::uint32_t>(size)});
}

void ReceiveMemory::write(const ChunkList &chunks, ChunkPool &pool, std::uint64_t offset,
                          ByteView octets) {
    std::uint32_t at = chunks.tail();
    if (pool[at].value.begin > offset) at = chunks.head();
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
