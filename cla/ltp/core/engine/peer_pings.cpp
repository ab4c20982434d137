// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine/peer_pings.hpp"

namespace farlink::cla::ltp {

TimePoint PeerPings::deadline(const Peer &peer) {
    if (peer.config.ping_interval == Duration::zero()) return kNever;
    if (peer.ping_number == 0 && peer.silent) return {};
    if (peer.ping_number != 0) return peer.ping_sent + peer.config.timing.answer_within();
    return peer.last_received + peer.config.ping_interval;
}

void PeerPings::handle_timeout(Peer &peer, TimePoint at) {
    if (peer.ping_number != 0 && ++peer.pings > peer.config.retries && !peer.silent) {
        peer.silent = true;
        context_.events.push({EventType::kPeerSilent, peer.id, {}, 0, 0});
    }
    peer.ping_number = context_.numbers.ping_number(peer.numbers);
    peer.ping_sent = at;
    ControlSegment ping;
    ping.type = SegmentType::kCancelBySender;
    ping.reason = CancelReason::kUserCancelled;
    ping.originator = context_.config.engine.value();
    ping.session = peer.ping_number;
    peer.answer(ping);
}

bool PeerPings::handle_cancel_ack(Peer &peer, std::uint64_t session) {
    const bool cut = is_wide(peer.ping_number) && session == low_half(peer.ping_number);
    if (cut) context_.note_cut_number(peer);
    if (session != peer.ping_number && !cut) return false;
    peer.ping_number = 0;
    peer.pings = 0;
    return true;
}

void PeerPings::end_silence(Peer &peer) {
    peer.silent = false;
    peer.pings = 0;
    context_.events.push({EventType::kPeerResponds, peer.id, {}, 0, 0});
}

}  // namespace farlink::cla::ltp
