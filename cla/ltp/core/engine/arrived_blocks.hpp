// SPDX-License-Identifier: Apache-2.0
// Blocks on their way from sessions to the client service, in order: whole ones, and large ones in
// parts while they arrive.
// Owned by the half of an engine that receives; one thread. Their chunks lie in its pool.
#pragma once

#include "cla/ltp/core/engine/engine_types.hpp"
#include "cla/ltp/core/engine/peer.hpp"
#include "cla/ltp/core/session/receiver_session.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::cla::ltp {

class ArrivedBlocks {
public:
    explicit ArrivedBlocks(ReceiverPools &pools) : pools_(pools) {}
    /// Gives the memory of the blocks back.
    ~ArrivedBlocks();
    ArrivedBlocks(const ArrivedBlocks &) = delete;
    ArrivedBlocks &operator=(const ArrivedBlocks &) = delete;

    /// The next block, or part of one. False: there is none.
    [[nodiscard]] bool poll(ReceivedBlock &block);

    // ---- `handle` is that of `session`, whose other end is `peer`
    /// The block is deliverable: takes it, or what is left of it behind its parts.
    void deliver(Peer &peer, ReceiverSession &session, SessionHandle handle);
    /// Takes the parts of a large block that may leave now.
    void pass_parts(Peer &peer, ReceiverSession &session, SessionHandle handle, TimePoint at);
    /// The session ends before the delivery: if parts were passed on, the end of them follows.
    void break_off(const ReceiverSession &session, SessionHandle handle);

private:
    struct Arrived {
        BlockInfo info;
        ChunkList chunks;
    };

    ReceiverPools &pools_;
    Ring<Arrived> arrived_;
};

}  // namespace farlink::cla::ltp
