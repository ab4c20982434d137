// SPDX-License-Identifier: Apache-2.0
// An LTP engine (RFC 5326): all sessions with all peers, in both directions, without a socket.
// Owned by a link; one thread. Segments and blocks go in; segments, blocks and events come out.
// What a block refers to must stay until the event that ends it has been polled.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "cla/ltp/core/codec/out_batch.hpp"
#include "cla/ltp/core/memory/slot_pool.hpp"
#include "cla/ltp/core/peer.hpp"
#include "cla/ltp/core/session/session_history.hpp"
#include "cla/ltp/core/session/session_table.hpp"

namespace farlink::cla::ltp {

/// A block to send (RFC 5326 section 4.1).
struct BlockRequest {
    std::span<const BlockPiece> pieces;
    std::uint64_t red_size = kAllRed;  ///< the first octets that are sent reliably
    std::uint64_t service = kBundleService;
    std::uint64_t token = 0;        ///< the caller's name for it
    std::uint32_t token_count = 1;  ///< names from `token` on, for a block of several bundles
    bool beyond_credit = false;     ///< taken whatever send_credit() says
    static constexpr std::uint64_t kAllRed = ~std::uint64_t{0};
};

enum class SendError : std::uint8_t { kNoPeer, kNoRoom, kEmpty };

enum class EventType : std::uint8_t {
    kDelivered,           ///< the peer has the block's red part; all of it was sent
    kCancelled,           ///< a block, by this side
    kCancelledByPeer,     ///< a block
    kReceptionCancelled,  ///< a block that arrived, by either side; none of it was handed over
    kPeerSilent,          ///< pings were not answered
    kPeerResponds,        ///< it is there again
    kNumbersCut,          ///< the peer cuts numbers to 32 bits: it gets no longer ones from now on
};

struct Event {
    EventType type = EventType::kDelivered;
    PeerId peer{};
    CancelReason reason{};
    std::uint64_t token = 0;
    std::uint32_t token_count = 0;
};

/// A block that has arrived. `session` is what block_safe() wants to hear.
struct BlockInfo {
    SessionHandle session;
    PeerId peer{};
    std::uint64_t service = 0;
    std::uint64_t size = 0;
    std::uint64_t red_size = 0;
    bool whole = false;  ///< false: some of the green part is missing, and all of it left out
};
struct ReceivedBlock : BlockInfo {
    std::vector<ByteView> slices;
    std::vector<SlabRef> slabs;  ///< one a slice
};

class Engine {
public:
    Engine(const EngineConfig &config, SlabPool &slabs, RandomSource &random);
    ~Engine();
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    // ---- peers
    // A peer that was removed is nobody: what is asked or told of it changes nothing.
    /// The contact is closed at first.
    PeerId add_peer(const PeerConfig &config);
    /// Ends all sessions with it, without a word to the peer. What was counted of it, at last.
    Counters remove_peer(PeerId peer);
    /// What the peer's blocks hold counts as its part of the loop's memory; `address` names it
    /// there, together with other links. One that is not `unknown` is a neighbour.
    void share_memory(PeerId peer, ReceptionShares &shares, LinkId link,
                      const std::string &address);
    /// Called when blocks were given up for somebody else, so that there are segments to poll.
    void when_given_back(std::function<void()> callback) { given_back_ = std::move(callback); }
    void contact_opened(PeerId peer, TimePoint now);
    /// Nothing is sent but answers to a peer with `answers_always`, and no timer runs, until it
    /// opens again.
    void contact_closed(PeerId peer, TimePoint now);
    void set_timing(PeerId peer, LinkTiming timing, TimePoint now);
    void set_rate(PeerId peer, BitRate rate);
    /// The rate at which poll_segments() should be asked, where set_rate() has told none, from the
    /// first segment on; 0: as fast as it goes.
    [[nodiscard]] BitRate pace(PeerId peer) const;

    // ---- blocks out
    /// Bytes that send_block() takes now.
    [[nodiscard]] std::uint64_t send_credit(PeerId peer) const;
    [[nodiscard]] Result<SessionHandle, SendError> send_block(PeerId peer,
                                                              const BlockRequest &block,
                                                              TimePoint now);
    /// Cancels a block that is being sent; an event tells its end. A session that has ended is
    /// ignored.
    void cancel_block(SessionHandle session, CancelReason reason, TimePoint now);
    /// All blocks that are being sent to the peer.
    void cancel_blocks(PeerId peer, CancelReason reason, TimePoint now);

    // ---- segments
    /// Takes a datagram, which holds whole segments; `from` is whoever its address belongs to.
    void handle_datagram(PeerId from, ByteView datagram, TimePoint now);
    /// Takes octets of a stream of segments; false when they cannot be followed any more, after
    /// which the stream must begin anew.
    [[nodiscard]] bool handle_bytes(PeerId from, ByteView octets, TimePoint now);
    /// Adds segments for the peer until the batch is full or a rate counts `max_bytes` or more of
    /// them. Their views are valid until the next poll_event(), and count as sent now.
    void poll_segments(PeerId peer, OutBatch &batch, std::uint64_t max_bytes, TimePoint now);
    /// Is there anything to poll now?
    [[nodiscard]] bool wants_to_send(PeerId peer) const;

    // ---- blocks in
    [[nodiscard]] bool poll_block(ReceivedBlock &block);
    /// The block is safe: its closing report may go (at once, where reports are not held).
    void block_safe(SessionHandle session, TimePoint now);
    /// There is no room for the block: its session is cancelled, if its sender was not told yet.
    void block_refused(SessionHandle session, TimePoint now);

    [[nodiscard]] std::optional<Event> poll_event();

    // ---- time
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    /// Of the peer's contact, since anything was heard from it.
    [[nodiscard]] Duration silence(PeerId peer, TimePoint now) {
        return peer_of(peer).clock.at(now) - peer_of(peer).last_received;
    }

    /// Gives the memory of sessions back that many of them have taken, when none is open.
    void give_back();

    // ---- what is
    /// Of a peer that is there.
    [[nodiscard]] const Counters &counters(PeerId peer) const { return peers_.at(peer)->counters; }
    [[nodiscard]] std::size_t peers() const { return peers_.size(); }
    /// No session with the peer is open, in either direction.
    [[nodiscard]] bool idle(PeerId peer) const {
        return sessions_out(peer) == 0 && sessions_in(peer) == 0;
    }
    /// Is this the number of a block that is being sent to the peer, or of a ping, as the peer has
    /// it?
    [[nodiscard]] bool sends(PeerId peer, std::uint64_t number);
    [[nodiscard]] std::size_t sessions_out(PeerId peer) const;
    [[nodiscard]] std::size_t sessions_in(PeerId peer) const;
    [[nodiscard]] std::size_t sessions_out() const { return senders_.used(); }
    [[nodiscard]] std::size_t sessions_in() const { return receivers_.used(); }
    /// Octets of blocks that arrive and are not complete.
    [[nodiscard]] std::uint64_t held_bytes() const { return room_.held; }
    /// Sessions that peers were refused since there was no room for them or for their blocks.
    [[nodiscard]] std::uint64_t refusals() const { return refusals_; }
    /// Memory for sessions' state, in both directions, apart from blocks' octets.
    [[nodiscard]] std::size_t state_bytes() const;

private:
    struct Ended {
        Event event;
        OutBlock block;
    };
    struct Arrived {
        BlockInfo info;
        ChunkList chunks;
    };

    static constexpr std::uint32_t sender_timer(std::uint32_t slot) { return 2 * slot; }
    static constexpr std::uint32_t receiver_timer(std::uint32_t slot) { return 2 * slot + 1; }
    [[nodiscard]] Peer *find_peer(PeerId peer) const {
        const auto found = peers_.find(peer);
        return found == peers_.end() ? nullptr : found->second.get();
    }
    /// Of a session, which has one.
    [[nodiscard]] Peer &peer_of(PeerId peer) { return *peers_.at(peer); }

    // engine_memory.cpp
    class Keeper;
    void enlist(Peer &peer, std::uint32_t slot);
    void delist(Peer &peer, std::uint32_t slot);
    template <class Weight>
    [[nodiscard]] std::uint32_t find_worst(Peer &peer, Weight weight);
    [[nodiscard]] std::uint32_t find_slow(Peer &peer, std::uint64_t pace, TimePoint at);
    void give_up(Peer &peer, std::uint32_t slot, TimePoint at);
    [[nodiscard]] bool ask_for_memory(Peer &peer);

    // engine.cpp
    void end_sessions(Peer &gone);
    void arm(Peer &peer, std::uint32_t timer, TimePoint deadline, bool exactly = false);
    void update_sender(Peer &peer, std::uint32_t slot, TimePoint at);
    void update_receiver(Peer &peer, std::uint32_t slot, TimePoint at);
    void close_sender(Peer &peer, std::uint32_t slot);
    void end_block(Peer &peer, SenderSession &session, EventType type, CancelReason reason);
    void close_receiver(Peer &peer, std::uint32_t slot, SessionEnd end);
    void cancel_receiver(Peer &peer, std::uint32_t slot, CancelReason reason, TimePoint at);
    void deliver(Peer &peer, std::uint32_t slot);
    void handle_ping_timeout(Peer &peer, TimePoint at);
    [[nodiscard]] TimePoint ping_deadline(const Peer &peer) const;

    // engine_in.cpp
    [[nodiscard]] bool concerns(const Peer &peer, const Segment &segment) const;
    [[nodiscard]] bool authentic(Peer &peer, const Segment &segment);
    void handle_segment(Peer &peer, const Segment &segment, TimePoint at);
    void handle_data(Peer &peer, const Segment &segment, TimePoint at);
    void handle_verdict(Peer &peer, std::uint32_t slot, const Segment &segment, DataVerdict verdict,
                        TimePoint at);
    [[nodiscard]] std::uint32_t find_receiver(Peer &peer, std::uint64_t number);
    [[nodiscard]] static std::uint64_t share_of(std::uint64_t limit, std::uint64_t used);
    [[nodiscard]] bool has_place(const Peer &peer) const;
    [[nodiscard]] bool has_memory(const Peer &peer) const;
    [[nodiscard]] std::uint32_t open_receiver(Peer &peer, const Segment &segment, TimePoint at);
    void handle_late(Peer &peer, const Segment &segment, SessionEnd end);
    void refuse(Peer &peer, const Segment &segment, CancelReason reason);
    void handle_report(Peer &peer, const Segment &segment, TimePoint at);
    void note_report_order(Peer &peer, SessionHandle session, std::uint64_t serial, TimePoint at);
    void handle_report_ack(Peer &peer, const Segment &segment, TimePoint at);
    void handle_cancel(Peer &peer, const Segment &segment);
    void handle_cancel_ack(Peer &peer, const Segment &segment);
    void note_received(Peer &peer, TimePoint at);

    // engine_numbers.cpp
    [[nodiscard]] std::uint32_t find_sender(Peer &peer, std::uint64_t number);
    [[nodiscard]] std::uint32_t find_cut(Peer &peer, std::uint64_t number);
    void note_cut(Peer &peer);

    // engine_out.cpp
    void poll_answers(Peer &peer, SegmentWriter &writer, OutBatch &batch, std::uint64_t max_bytes);
    void poll_receivers(Peer &peer, SegmentWriter &writer, OutBatch &batch, std::uint64_t max_bytes,
                        TimePoint at);
    void poll_urgent(Peer &peer, SegmentWriter &writer, OutBatch &batch, std::uint64_t max_bytes,
                     TimePoint at);
    void poll_first(Peer &peer, SegmentWriter &writer, OutBatch &batch, std::uint64_t max_bytes,
                    TimePoint at);
    void write_plan(const Peer &peer, const SenderSession &session, const SegmentPlan &plan,
                    SegmentWriter &writer) const;
    [[nodiscard]] Frame frame_of(const Peer &peer, const SenderSession &session) const;

    EngineConfig config_;
    SlabPool &slabs_;
    ReceiveRoom room_;
    std::uint64_t refusals_ = 0;
    std::uint32_t unknown_sessions_ = 0;
    std::function<void()> given_back_;
    TimePoint now_{};  ///< of what came last, in real time
    NumberGenerator numbers_;
    std::unordered_map<PeerId, std::unique_ptr<Peer>> peers_;
    std::uint32_t next_peer_ =
        0;  ///< numbers are not used again: an event may tell of a former one
    TimerNodes timers_;

    SlotPool<SenderSession> senders_;
    SenderPools sender_pools_;
    SessionTable sender_table_;
    SlotPool<ReceiverSession> receivers_;
    ReceiverPools receiver_pools_;
    SessionTable receiver_table_;
    SessionHistory history_;

    Ring<Ended> ended_;
    std::optional<OutBlock> polled_;  ///< of the event that was polled last
    Ring<Arrived> arrived_;
};

}  // namespace farlink::cla::ltp
