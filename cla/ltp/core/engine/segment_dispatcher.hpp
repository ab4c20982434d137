// SPDX-License-Identifier: Apache-2.0
// Segments of datagrams and streams: decoded, authenticated, and given to the direction of their
// session.
// Owned by the engine; one thread.
#pragma once

#include "cla/ltp/core/engine/peer_pings.hpp"
#include "cla/ltp/core/engine/receiving_engine.hpp"
#include "cla/ltp/core/engine/sending_engine.hpp"

namespace farlink::cla::ltp {

class SegmentDispatcher {
public:
    SegmentDispatcher(EngineContext &context, PeerPings &pings, SendingEngine &sending,
                      ReceivingEngine &receiving)
        : context_(context), pings_(pings), sending_(sending), receiving_(receiving) {}

    /// Takes a datagram, which holds whole segments.
    void handle_datagram(Peer &peer, ByteView datagram, TimePoint now);
    /// Takes octets of a stream of segments; false: malformed, and the stream must begin anew.
    [[nodiscard]] bool handle_bytes(Peer &peer, ByteView octets, TimePoint now);

private:
    [[nodiscard]] bool concerns(const Peer &peer, const Segment &segment) const;
    [[nodiscard]] static bool authentic(Peer &peer, const Segment &segment);
    void handle_segment(Peer &peer, const Segment &segment, TimePoint at);
    static void acknowledge_cancel(Peer &peer, const Segment &segment);

    EngineContext &context_;
    PeerPings &pings_;
    SendingEngine &sending_;
    ReceivingEngine &receiving_;
};

}  // namespace farlink::cla::ltp
