// SPDX-License-Identifier: Apache-2.0
// The memory in which the blocks of one peer are assembled: chunks of slabs.
// Owned by the peer; one thread. Octets are copied once, from the datagram to their place.
// The current block grows at the end of the slab, so that a block whose segments arrive in order
// lies in one piece. Blocks whose segments alternate get further chunks. A block never holds more
// than a few times what has arrived of it, since one octet at a large offset must not take all
// memory: its chunks leave out larger gaps. A small block that is incomplete when its slab is full
// waits for repairs. It moves to memory of its own size, since a few such blocks would hold every
// slab for a round trip.
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

/// The chunks of one block, in ascending order.
struct BlockMemory {
    ChunkList chunks;
    std::uint32_t finger = kNoNode;  ///< where octets were placed last
    std::uint64_t arrived = 0;       ///< octets that have arrived, without those passed on
    std::uint64_t held = 0;          ///< octets of the chunks
    std::uint64_t passed = 0;        ///< octets at the front that were passed on
    std::uint64_t spared = 0;        ///< octets of the room that this block leaves free now
    bool large = false;              ///< above ReceiverLimits::spool_above
    /// Octets that have arrived, with those passed on: never less than before, until its end.
    [[nodiscard]] std::uint64_t all_arrived() const { return passed + arrived; }
};

/// Octets of the unfinished blocks of all peers of an engine.
struct ReceiveRoom {
    std::uint64_t limit = ~std::uint64_t{0};
    std::uint64_t held = 0;
};

class ReceiveMemory {
public:
    ReceiveMemory(SlabPool &slabs, ReceiveRoom &room) : slabs_(slabs), room_(room) {}

    /// The held octets count against the peer's share of the loop's memory.
    void share(ReceptionShares::Hold *hold) { hold_ = hold; }

    /// Makes memory for octets [begin, end) of the block in session place `slot`. False: there is
    /// none; the block stays as it is.
    [[nodiscard]] bool reach(std::uint32_t slot, BlockMemory &block, ChunkPool &pool,
                             std::uint64_t begin, std::uint64_t end);
    /// Octets up to `end`, all of which are here, leave the block of `slot`, to be passed on.
    [[nodiscard]] ChunkList take_front(std::uint32_t slot, BlockMemory &block, ChunkPool &pool,
                                       std::uint64_t end);
    /// The block of `slot` is complete with `size` octets: takes unused memory back.
    void finish(std::uint32_t slot, BlockMemory &block, ChunkPool &pool, std::uint64_t size);
    /// Releases the block of `slot`.
    void discard(std::uint32_t slot, BlockMemory &block, ChunkPool &pool);
    /// Releases the slab in which blocks grow, if no block uses it.
    void rest() {
        if (slab_ && slab_->references == 1) slab_.reset();
    }
    /// A slab is full, and may contain incomplete blocks.
    [[nodiscard]] bool filled() const { return !left_.empty(); }
    /// Calls `each(slot)` once for every session place with memory in full slabs.
    template <class Each>
    void for_each_left(Each &&each) {
        for (const std::uint32_t slot : left_) each(slot);
        left_.clear();
        leaving_ = false;
    }
    /// The block of `slot` is incomplete and does not grow now: a small one moves out of its slabs.
    void move_out(std::uint32_t slot, BlockMemory &block, ChunkPool &pool);
    /// Blocks no longer grow in the current slab, if little of it is used. True: they are to move
    /// out as if the slab were full, whatever the limit of the pool.
    [[nodiscard]] bool leave_slab();
    /// Octets of the chunks of unfinished blocks.
    [[nodiscard]] std::uint64_t held_bytes() const { return held_; }

    /// Copies octets to the place that reach() has made.
    static void write(const BlockMemory &block, ChunkPool &pool, std::uint64_t offset,
                      ByteView octets);

private:
    static constexpr std::uint32_t kNobody = 0xffffffffU;

    /// A block is small up to this fraction of a slab: copying a larger one does not pay.
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
    std::uint32_t grower_ = kNobody;        ///< the session place whose chunk ends at used_
    std::uint32_t grower_chunk_ = kNoNode;  ///< that chunk
    std::uint32_t expected_ = 0;            ///< the size of the last block
    std::uint64_t held_ = 0;
    std::vector<std::uint32_t> tenants_;  ///< session places with memory in slab_
    std::vector<std::uint32_t> left_;     ///< and in full slabs, until for_each_left()
    bool leaving_ = false;                ///< leave_slab(), until for_each_left() has ended
};

}  // namespace farlink::cla::ltp
