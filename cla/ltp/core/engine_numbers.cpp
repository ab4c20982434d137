// SPDX-License-Identifier: Apache-2.0
// Answers of peers that keep 32 bits of a number, and answer to the low half of a longer one.
#include "cla/ltp/core/engine.hpp"

namespace farlink::cla::ltp {
namespace {

/// Each costs a look at all blocks that are being sent: who answers to so many sessions that never
/// were does not cut numbers.
constexpr std::uint32_t kMostMisses = 1000;

}  // namespace

/// The place of the block that a peer's answer is about.
std::uint32_t Engine::find_sender(Peer &peer, std::uint64_t number) {
    const std::uint32_t slot = sender_table_.find(PeerId{}, number);
    if (slot != SessionTable::kNone) {
        peer.answers_whole =
            peer.answers_whole || (is_wide(number) && senders_[slot].info().peer == peer.id);
        return slot;
    }
    const bool may_be_cut = peer.wide_blocks > 0 && !peer.answers_whole && !is_wide(number) &&
                            peer.cut_misses < kMostMisses;
    return may_be_cut ? find_cut(peer, number) : SessionTable::kNone;
}

std::uint32_t Engine::find_cut(Peer &peer, std::uint64_t number) {
    std::uint32_t found = SessionTable::kNone;
    senders_.for_each([&](std::uint32_t slot, SenderSession &session) {
        const SenderSession::Start &info = session.info();
        if (info.peer == peer.id && is_wide(info.number) && low_half(info.number) == number)
            found = slot;
    });
    if (found == SessionTable::kNone)
        ++peer.cut_misses;
    else
        note_cut(peer);
    return found;
}

bool Engine::sends(PeerId id, std::uint64_t number) {
    const Peer *const peer = find_peer(id);
    if (peer == nullptr) return false;
    if (number == peer->ping_number) return true;
    const std::uint32_t slot = sender_table_.find(PeerId{}, number);
    if (slot != SessionTable::kNone) return senders_[slot].info().peer == id;
    if (peer->wide_blocks == 0 || is_wide(number)) return false;
    bool found = false;
    senders_.for_each([&](std::uint32_t, SenderSession &session) {
        const SenderSession::Start &info = session.info();
        found = found || (info.peer == id && low_half(info.number) == number);
    });
    return found;
}

/// It is sent no longer numbers; its answers to those that are under way count.
void Engine::note_cut(Peer &peer) {
    if (peer.numbers == NumberSize::k32Bits) return;
    peer.numbers = NumberSize::k32Bits;
    ended_.push_back({{EventType::kNumbersCut, peer.id, {}, 0, 0}, {}});
}

}  // namespace farlink::cla::ltp
