// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine/engine_context.hpp"

namespace farlink::cla::ltp {

void EngineContext::arm(Peer &peer, std::uint32_t timer, TimePoint deadline, bool exactly) {
    if (!exactly && (deadline == kNever || peer.wheel.fires_by(timers, timer, deadline))) return;
    peer.wheel.arm(timers, timer, deadline);
}

void EngineContext::note_cut_number(Peer &peer) {
    if (peer.numbers == NumberSize::k32Bits) return;
    peer.numbers = NumberSize::k32Bits;
    events.push({EventType::kNumbersCut, peer.id, {}, 0, 0});
}

}  // namespace farlink::cla::ltp
