// SPDX-License-Identifier: Apache-2.0
// The memory that the blocks of one peer are put together in: chunks of slabs.
// Owned by the peer; one thread. Octets are copied once, from the datagram to their place.
// The block that arrives now grows at the end of the slab, so that one whose segments come in
// order lies in one piece, however long it becomes; blocks that take turns get further chunks.
// A block never holds more than a few times what has arrived of it: where more than that is
// missing, its chunks leave a hole, or one octet far out could claim all memory.
// A small block that is still not complete when its slab is full waits for repairs: it gets memory
// of its own size, or a few such blocks would hold every slab for a round trip.
#pragma once

#include <cstdint>
#include <vector>

#include "cla/ltp/core/codec/segment.hpp"
#include "cla/ltp/core/codec/types.hpp"
#include "cla/ltp/core/memory/node_pool.hpp"
#include "common/base/bytes.hpp"
#include "common/buffer/reception_shares.hpp"
#include "common/buffer/slab.hpp"

namespace farlink::cla::ltp {

/// A part of a block; those of a block do not overlap.
struct Chunk {
    SlabRef slab;
    std::uint8_t *data = nullptr;
    std::uint64_t begin = 0;  ///< offset in the block
    std::uint32_t size = 0;
    [[nodiscard]] std::uint64_t end() const { return begin + size; }
};

using ChunkPool = NodePool<Chunk>;
using ChunkList = PoolList<Chunk>;

/// What one block lies in, in ascending order.
struct BlockMemory {
    ChunkList chunks;
    std::uint32_t finger = kNoNode;  ///< where octets were placed last
    std::uint64_t arrived = 0;       ///< octets that have come
    std::uint64_t held = 0;          ///< octets of the chunks
};

/// Octets of the blocks of all peers of an engine that are not finished.
struct ReceiveRoom {
    std::uint64_t limit = ~std::uint64_t{0};
    std::uint64_t held = 0;
};

class ReceiveMemory {
public:
    ReceiveMemory(SlabPool &slabs, ReceiveRoom &room) : slabs_(slabs), room_(room) {}

    /// What it holds counts as the peer's part of the loop's memory.
    void share(ReceptionShares::Hold *hold) { hold_ = hold; }

    /// Octets [begin, end) have come of the block of session place `slot`: there is a place for
    /// them. False: there is no memory; what was there stays.
    [[nodiscard]] bool reach(std::uint32_t slot, BlockMemory &block, ChunkPool &pool,
                             std::uint64_t begin, std::uint64_t end);
    /// The block of `slot` is complete with `size` octets: what it does not need is taken back.
    void finish(std::uint32_t slot, BlockMemory &block, ChunkPool &pool, std::uint64_t size);
    /// The block of `slot` is given up.
    void discard(std::uint32_t slot, BlockMemory &block, ChunkPool &pool);
    /// Lets go of the slab that blocks grow in, if no block needs it.
    void rest() {
        if (slab_ && slab_->references == 1) slab_.reset();
    }
    /// A slab is full, and perhaps some blocks in it are not complete.
    [[nodiscard]] bool filled() const { return !left_.empty(); }
    /// Calls `each(slot)` for every session place that has got memory in full slabs, once.
    template <class Each>
    void for_each_left(Each &&each) {
        for (const std::uint32_t slot : left_) each(slot);
        left_.clear();
    }
    /// The block of `slot` is not complete and does not grow now: a small one leaves its slabs.
    void move_out(std::uint32_t slot, BlockMemory &block, ChunkPool &pool);
    /// Octets of the chunks of blocks that are not finished.
    [[nodiscard]] std::uint64_t held_bytes() const { return held_; }

    /// Copies octets to their place, which reach() has made.
    static void write(const BlockMemory &block, ChunkPool &pool, std::uint64_t offset,
                      ByteView octets);

private:
    static constexpr std::uint32_t kNobody = 0xffffffffU;

    /// Of a slab, as a share of one in so many: larger blocks do not pay for a copy.
    static constexpr std::uint32_t kSmallShare = 8;

    [[nodiscard]] bool fresh_slab();
    [[nodiscard]] bool place(std::uint32_t slot, BlockMemory &block, ChunkPool &pool,
                             std::uint32_t &before, Interval octets, std::uint64_t limit);
    void let_go(std::uint32_t slot, BlockMemory &block);
    void publish_share() {
        if (hold_ != nullptr) hold_->update(held_);
    }

    SlabPool &slabs_;
    ReceiveRoom &room_;
    ReceptionShares::Hold *hold_ = nullptr;
    SlabRef slab_;
    std::uint32_t used_ = 0;
    std::uint32_t grower_ = kNobody;        ///< whose chunk ends at used_
    std::uint32_t grower_chunk_ = kNoNode;  ///< which one that is
    std::uint32_t expected_ = 0;            ///< the size of the last block
    std::uint64_t held_ = 0;
    std::vector<std::uint32_t> tenants_;  ///< who has got memory in slab_
    std::vector<std::uint32_t> left_;     ///< and in those before, until somebody asks
};

}  // namespace farlink::cla::ltp
