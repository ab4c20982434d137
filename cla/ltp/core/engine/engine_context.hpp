// SPDX-License-Identifier: Apache-2.0
// What the parts of an engine share: its peers, timers, numbers, memory limit and events.
// Owned by the engine; one thread.
// A part gets the context as a reference when it is made, and never another part's members.
#pragma once

#include <memory>
#include <unordered_map>

#include "cla/ltp/core/engine/event_queue.hpp"
#include "cla/ltp/core/engine/peer.hpp"
#include "cla/ltp/core/session/number_generator.hpp"

namespace farlink::cla::ltp {

struct EngineContext {
    EngineContext(const EngineConfig &configured, SlabPool &slab_pool, RandomSource &random)
        : config(configured), slabs(slab_pool), numbers(random) {
        room.limit = configured.max_receive_bytes;
    }

    /// Null: the peer was removed.
    [[nodiscard]] Peer *find_peer(PeerId peer) const {
        const auto found = peers.find(peer);
        return found == peers.end() ? nullptr : found->second.get();
    }
    /// The peer of an open session, which exists.
    [[nodiscard]] Peer &peer_of(PeerId peer) const { return *peers.at(peer); }

    // Sessions of both directions share one array of timers.
    static constexpr std::uint32_t sender_timer(std::uint32_t slot) { return 2 * slot; }
    static constexpr std::uint32_t receiver_timer(std::uint32_t slot) { return 2 * slot + 1; }
    /// Sets the timer, unless it fires by `deadline` anyway: moving it costs more than a call that
    /// finds nothing due. `exactly` moves it in any case.
    void arm(Peer &peer, std::uint32_t timer, TimePoint deadline, bool exactly = false);
    /// The peer has answered with the low half of a number above 32 bits. New numbers for it are
    /// no longer than 32 bits; answers to the longer ones still count.
    void note_cut_number(Peer &peer);

    EngineConfig config;
    SlabPool &slabs;
    ReceiveRoom room;
    TimePoint now{};  ///< when the last datagram arrived, in real time
    bool accepts_new_blocks = true;
    NumberGenerator numbers;
    std::unordered_map<PeerId, std::unique_ptr<Peer>> peers;
    /// Ids are not reused before they wrap: an event may refer to a peer that was removed.
    std::uint32_t next_peer = 0;
    TimerNodes timers;
    EventQueue events;
};

}  // namespace farlink::cla::ltp
