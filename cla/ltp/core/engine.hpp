// SPDX-License-Identifier: Apache-2.0
// An LTP engine (RFC 5326): all sessions with all peers, in both directions, without a socket.
// Owned by a link; one thread. Segments and blocks go in; segments, blocks and events come out.
// The octets of a block to send must stay until the event that ends the block has been polled.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cla/ltp/core/engine/engine_types.hpp"
#include "cla/ltp/core/engine/segment_dispatcher.hpp"

namespace farlink::cla::ltp {

class Engine {
public:
    Engine(const EngineConfig &config, SlabPool &slabs, RandomSource &random);
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    // ---- peers
    // A call for a peer that was removed changes nothing, and returns zero or false.
    /// The contact is closed at first.
    PeerId add_peer(const PeerConfig &config);
    /// Ends all sessions with the peer, and sends nothing. Returns the peer's last counters.
    Counters remove_peer(PeerId peer);
    /// The peer's blocks count against its share of the loop's memory. `address` identifies the
    /// peer there, across links. A peer that is not `unknown` counts as a neighbour.
    void share_memory(PeerId peer, ReceptionShares &shares, LinkId link,
                      const std::string &address);
    /// Called when blocks were given up for other peers; there are segments to poll then.
    void when_given_back(std::function<void()> callback) {
        receiving_.when_given_back(std::move(callback));
    }
    void contact_opened(PeerId peer, TimePoint now);
    /// Until the contact opens again no timer runs, and only answers to a peer with
    /// `answers_always` are sent.
    void contact_closed(PeerId peer, TimePoint now);
    void set_timing(PeerId peer, LinkTiming timing, TimePoint now);
    void set_rate(PeerId peer, BitRate rate);
    /// The rate for poll_segments(), measured since the first segment, where set_rate() has set
    /// none; 0: no limit.
    [[nodiscard]] BitRate pace(PeerId peer) const;

    /// False: no block begins in either direction. send_credit() is 0, and data of blocks that have
    /// not begun are dropped, as if they were lost.
    void accept_new_blocks(bool accepts) { context_.accepts_new_blocks = accepts; }

    // ---- blocks out
    /// Bytes that send_block() takes now.
    [[nodiscard]] std::uint64_t send_credit(PeerId peer) const;
    [[nodiscard]] Result<SessionHandle, SendError> send_block(PeerId peer,
                                                              const BlockRequest &block,
                                                              TimePoint now);
    /// Adds the next part of a block that was begun with BlockRequest::following. False: the block
    /// has ended.
    [[nodiscard]] bool extend_block(SessionHandle session, std::span<const BlockPiece> pieces) {
        return sending_.extend_block(session, pieces);
    }
    /// Cancels a block that is being sent; an event follows. A session that has ended is ignored.
    void cancel_block(SessionHandle session, CancelReason reason, TimePoint now) {
        sending_.cancel_block(session, reason, now);
    }
    /// Cancels all blocks that are being sent to the peer.
    void cancel_blocks(PeerId peer, CancelReason reason, TimePoint now);

    // ---- segments
    /// Takes a datagram, which holds whole segments; `from` is the peer at its source address.
    void handle_datagram(PeerId from, ByteView datagram, TimePoint now);
    /// Takes octets of a stream of segments; false: malformed, and the stream must begin anew.
    [[nodiscard]] bool handle_bytes(PeerId from, ByteView octets, TimePoint now);
    /// Adds segments for the peer until the batch is full or holds `max_bytes` or more that count
    /// against a rate. They count as sent now; their views are valid until the next poll_event().
    void poll_segments(PeerId peer, OutBatch &batch, std::uint64_t max_bytes, TimePoint now);
    /// Is there anything to poll now?
    [[nodiscard]] bool wants_to_send(PeerId peer) const;

    // ---- blocks in
    [[nodiscard]] bool poll_block(ReceivedBlock &block) { return receiving_.poll_block(block); }
    /// The block is safe: its closing report may be sent (at once, where reports are not held).
    void block_safe(SessionHandle session, TimePoint now) { receiving_.block_safe(session, now); }
    /// There is no room for the block, or for its parts: cancels its session, unless its closing
    /// report was sent.
    void block_refused(SessionHandle session, TimePoint now) {
        receiving_.block_refused(session, now);
    }
    /// Neither side has ended the session of the block.
    [[nodiscard]] bool is_open(SessionHandle session) { return receiving_.is_open(session); }

    /// `held`: the parts of the peer's large blocks wait here; otherwise they are passed on again.
    void hold_parts(PeerId peer, bool held, TimePoint now);

    [[nodiscard]] std::optional<Event> poll_event() { return sending_.poll_event(); }

    // ---- time
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);
    /// Contact time since the last segment of the peer arrived.
    [[nodiscard]] Duration silence(PeerId peer, TimePoint now) const {
        const Peer &silent = context_.peer_of(peer);
        return silent.clock.at(now) - silent.last_received;
    }

    /// Gives the memory of sessions back when none is open and many were. Returns its octets.
    std::size_t give_back();

    // ---- state
    /// The peer must exist.
    [[nodiscard]] const Counters &counters(PeerId peer) const {
        return context_.peer_of(peer).counters;
    }
    [[nodiscard]] std::size_t peers() const { return context_.peers.size(); }
    /// Is `number` the number of a block that is being sent to the peer, or of a ping, or the low
    /// half of one?
    [[nodiscard]] bool sends(PeerId peer, std::uint64_t number);
    [[nodiscard]] std::size_t sessions_out(PeerId peer) const;
    [[nodiscard]] std::size_t sessions_in(PeerId peer) const;
    [[nodiscard]] std::size_t sessions_out() const { return sending_.sessions(); }
    [[nodiscard]] std::size_t sessions_in() const { return receiving_.sessions(); }
    /// Octets of incomplete incoming blocks.
    [[nodiscard]] std::uint64_t held_bytes() const { return context_.room.held; }
    /// Incoming sessions that were refused or given up for lack of room.
    [[nodiscard]] std::uint64_t refusals() const { return receiving_.refusals(); }
    /// Memory for the state of sessions in both directions, without the blocks' octets.
    [[nodiscard]] std::size_t state_bytes() const;

private:
    EngineContext context_;
    SendingEngine sending_;
    ReceivingEngine receiving_;
    PeerPings pings_;
    SegmentDispatcher dispatcher_;
};

/// No session with the peer is open, in either direction.
[[nodiscard]] inline bool is_idle(const Engine &engine, PeerId peer) {
    return engine.sessions_out(peer) == 0 && engine.sessions_in(peer) == 0;
}

}  // namespace farlink::cla::ltp
