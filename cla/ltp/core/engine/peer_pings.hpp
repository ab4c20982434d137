// SPDX-License-Identifier: Apache-2.0
// Pings, which show that a peer answers while no session is open.
// Owned by the engine; one thread. The state of a ping lies in the peer.
// A ping is a cancel segment for a session that never was: any engine acknowledges it
// (RFC 5326 section 6.17).
#pragma once

#include "cla/ltp/core/engine/engine_context.hpp"

namespace farlink::cla::ltp {

class PeerPings {
public:
    explicit PeerPings(EngineContext &context) : context_(context) {}

    /// When to call handle_timeout(), in contact time; kNever: the peer is not pinged.
    [[nodiscard]] static TimePoint deadline(const Peer &peer);
    /// Sends the next ping; the peer is silent after as many without an answer as it has retries.
    void handle_timeout(Peer &peer, TimePoint at);
    /// False: `session` is no ping.
    [[nodiscard]] bool handle_cancel_ack(Peer &peer, std::uint64_t session);
    /// A segment of the peer has arrived.
    void note_received(Peer &peer, TimePoint at) {
        peer.last_received = at;
        if (peer.silent) end_silence(peer);
    }

private:
    void end_silence(Peer &peer);

    EngineContext &context_;
};

}  // namespace farlink::cla::ltp
