// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine/arrived_blocks.hpp"

#include <utility>

namespace farlink::cla::ltp {
namespace {

/// Of the block's next octets.
BlockInfo info_of(const ReceiverSession &session, SessionHandle handle) {
    BlockInfo info;
    info.session = handle;
    info.peer = session.info().peer;
    info.service = session.info().service;
    info.offset = session.block().passed;
    return info;
}

}  // namespace

ArrivedBlocks::~ArrivedBlocks() {
    while (!arrived_.empty()) arrived_.pop_front().chunks.clear(pools_.chunks);
}

bool ArrivedBlocks::poll(ReceivedBlock &block) {
    block.slices.clear();
    block.slabs.clear();
    if (arrived_.empty()) return false;
    Arrived arrived = arrived_.pop_front();
    static_cast<BlockInfo &>(block) = arrived.info;
    ChunkPool &pool = pools_.chunks;
    while (!arrived.chunks.empty()) {
        Chunk &chunk = pool[arrived.chunks.head()].value;
        block.slices.push_back({chunk.data, chunk.size});
        block.slabs.push_back(std::move(chunk.slab));
        arrived.chunks.pop_front(pool);
    }
    return true;
}

void ArrivedBlocks::deliver(Peer &peer, ReceiverSession &session, SessionHandle handle) {
    const std::uint64_t size = session.parts().delivered_size();
    BlockMemory &block = session.take_block();
    if (size == 0) {  // an empty block is not handed over, and needs no block_safe()
        session.block_safe();
        return peer.memory.discard(handle.slot, block, pools_.chunks);
    }
    peer.memory.finish(handle.slot, block, pools_.chunks, size);
    Arrived arrived;
    arrived.info = info_of(session, handle);
    arrived.info.size = size - session.block().passed;
    arrived.info.red_size = session.parts().red_size();
    arrived.info.whole = session.parts().whole();
    arrived.chunks = std::exchange(block.chunks, ChunkList{});
    arrived_.push_back(std::move(arrived));
    ++peer.counters.blocks_received;
}

// A block that is complete is passed on in any case.
void ArrivedBlocks::pass_parts(Peer &peer, ReceiverSession &session, SessionHandle handle,
                               TimePoint at) {
    if (peer.holds_parts && !session.deliverable()) return;
    const ReceiverLimits limits = peer.receiver_limits(at);
    for (;;) {
        Arrived arrived;
        arrived.info = info_of(session, handle);
        arrived.chunks = session.poll_part(limits, at, peer.memory, pools_);
        if (arrived.chunks.empty()) return;
        arrived.info.size = session.block().passed - arrived.info.offset;
        arrived.info.more = true;
        arrived_.push_back(std::move(arrived));
    }
}

void ArrivedBlocks::break_off(const ReceiverSession &session, SessionHandle handle) {
    if (session.block().passed == 0) return;
    Arrived end;
    end.info = info_of(session, handle);
    end.info.more = true;
    arrived_.push_back(std::move(end));
}

}  // namespace farlink::cla::ltp
