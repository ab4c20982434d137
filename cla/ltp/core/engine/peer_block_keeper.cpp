// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/engine/peer_block_keeper.hpp"

namespace farlink::cla::ltp {

std::uint64_t PeerBlockKeeper::slow_block(TimePoint now, const Slowness &slowness) {
    const std::uint32_t slot = find_slow(slowness, peer_.clock.at(now));
    return slot == SessionTable::kNone ? 0 : receiving_.session(slot).block().held;
}

void PeerBlockKeeper::give_up_slow_block(TimePoint now, const Slowness &slowness) {
    const TimePoint at = peer_.clock.at(now);
    const std::uint32_t slot = find_slow(slowness, at);
    if (slot != SessionTable::kNone) receiving_.give_up(peer_, slot, at);
    receiving_.note_given_back();
}

// Gives up what has taken the most memory for the longest time: octets times age. The last block
// stays: one block may always come.
void PeerBlockKeeper::give_back(std::uint64_t bytes, TimePoint now) {
    const TimePoint at = peer_.clock.at(now);
    const std::uint64_t before = peer_.memory.held_bytes();
    const std::uint64_t wanted = before > bytes ? before - bytes : 0;
    const auto weight = [at](const ReceiverSession &session) {
        const auto age = std::chrono::duration_cast<milliseconds>(session.age(at)).count();
        return session.block().held * (static_cast<std::uint64_t>(age) + 1);
    };
    while (peer_.memory.held_bytes() > wanted) {
        const std::uint32_t slot = find_heaviest(weight);
        if (slot == SessionTable::kNone) break;
        if (receiving_.session(slot).block().held == peer_.memory.held_bytes()) break;
        receiving_.give_up(peer_, slot, at);
    }
    receiving_.note_given_back();
}

bool PeerBlockKeeper::leave_slab() {
    if (!peer_.memory.leave_slab()) return false;
    receiving_.leave_slabs(peer_);
    return true;
}

// The session with the largest `weight` above 0.
template <class Weight>
std::uint32_t PeerBlockKeeper::find_heaviest(Weight weight) {
    std::uint32_t heaviest = SessionTable::kNone;
    std::uint64_t most = 0;
    for (std::uint32_t slot = peer_.first_receiver; slot != SessionTable::kNone;
         slot = receiving_.session(slot).next) {
        const std::uint64_t its = weight(receiving_.session(slot));
        if (its <= most) continue;
        heaviest = slot;
        most = its;
    }
    return heaviest;
}

// A block whose parts wait here for the client service pauses without its sender's fault.
std::uint32_t PeerBlockKeeper::find_slow(const Slowness &slowness, TimePoint at) {
    return find_heaviest([&](const ReceiverSession &session) {
        const bool waits = peer_.holds_parts && session.block().large;
        const Duration silence = waits ? PaceMeter::kSilence : slowness.silence;
        return session.pace(at, silence) <= slowness.pace ? session.block().held : 0;
    });
}

}  // namespace farlink::cla::ltp
