// SPDX-License-Identifier: Apache-2.0
// What an end of a tunnel is for one peer: datagrams or streams.
// Owned by a Tunnel.
// On its loop, one thread.
#pragma once

#include <memory>

#include "apps/bptunnel/core/adu.hpp"

namespace farlink::bptunnel {

class PeerEnd {
public:
    virtual ~PeerEnd() = default;
    /// This end has started: a peer that is there ends what it had with an earlier run.
    virtual void greet() = 0;
    virtual void take(const Head &head, Bytes adu) = 0;
    /// The node takes more again.
    virtual void handle_room() = 0;
    /// Nothing is under way with it, so that another peer may have its place.
    [[nodiscard]] virtual bool idle() const = 0;
    [[nodiscard]] virtual std::size_t open_streams() const { return 0; }
    /// The program ends: what is held is sent, streams are reset.
    virtual void finish() = 0;
};

}  // namespace farlink::bptunnel
