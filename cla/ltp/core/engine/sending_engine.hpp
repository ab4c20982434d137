// SPDX-License-Identifier: Apache-2.0
// The half of an engine that sends blocks: exports them, repeats what reports leave open, and ends
// their sessions (RFC 5326 sections 4.1, 6.2, 6.7, 6.12, 6.13, 6.15 to 6.19).
// Owned by the engine; one thread.
#pragma once

#include "cla/ltp/core/codec/out_batch.hpp"
#include "cla/ltp/core/engine/engine_context.hpp"
#include "cla/ltp/core/memory/slot_pool.hpp"
#include "cla/ltp/core/session/sender_session.hpp"
#include "cla/ltp/core/session/session_table.hpp"

namespace farlink::cla::ltp {

class SendingEngine {
public:
    SendingEngine(EngineContext &context, RandomSource &random)
        : context_(context), table_(random.next()) {}
    /// Gives the memory of all sessions back, and that of the context's events.
    ~SendingEngine();
    SendingEngine(const SendingEngine &) = delete;
    SendingEngine &operator=(const SendingEngine &) = delete;

    // ---- blocks
    [[nodiscard]] static std::uint64_t credit(const Peer &peer);
    [[nodiscard]] Result<SessionHandle, SendError> send_block(Peer &peer,
                                                              const BlockRequest &block);
    [[nodiscard]] bool extend_block(SessionHandle session, std::span<const BlockPiece> pieces);
    void cancel_block(SessionHandle session, CancelReason reason, TimePoint now);
    void cancel_blocks(Peer &peer, CancelReason reason, TimePoint at);
    /// Ends all sessions with a peer that is removed; sends nothing.
    void end_sessions(Peer &peer);
    [[nodiscard]] std::optional<Event> poll_event() { return context_.events.poll(pools_.memory); }

    // ---- segments of the peer
    void handle_report(Peer &peer, const Segment &segment, TimePoint at);
    /// False: the session belongs to another peer, and the segment is not acknowledged.
    [[nodiscard]] bool handle_cancel(Peer &peer, const Segment &segment);
    void handle_cancel_ack(Peer &peer, const Segment &segment);
    /// Is `number` the number of a session with the peer, or its low half?
    [[nodiscard]] bool has_session(const Peer &peer, std::uint64_t number);

    // ---- segments to the peer
    /// Writes segments that are sent again, then new ones in the order of the blocks.
    void poll_segments(Peer &peer, SegmentWriter &writer, OutBatch &batch, std::uint64_t max_bytes,
                       TimePoint at);

    // ---- time
    void handle_timeout(Peer &peer, std::uint32_t slot, TimePoint at);
    /// The peer's timing has changed: sets all timers anew.
    void rearm(Peer &peer);

    // ---- memory
    [[nodiscard]] std::size_t sessions() const { return sessions_.used(); }
    [[nodiscard]] std::uint32_t capacity() const { return sessions_.capacity(); }
    [[nodiscard]] std::size_t state_bytes() const;
    /// No session may be open.
    void give_back();

private:
    [[nodiscard]] std::uint32_t find(Peer &peer, std::uint64_t number);
    [[nodiscard]] std::uint32_t find_cut(Peer &peer, std::uint64_t number);
    void update(Peer &peer, std::uint32_t slot, TimePoint at);
    void close(Peer &peer, std::uint32_t slot);
    void end_block(Peer &peer, SenderSession &session, EventType type, CancelReason reason);
    void end_part(Peer &peer, SenderSession &session);
    static void note_report_order(Peer &peer, SessionHandle session, std::uint64_t serial,
                                  TimePoint at);
    void poll_urgent(Peer &peer, SegmentWriter &writer, OutBatch &batch, std::uint64_t max_bytes,
                     TimePoint at);
    void poll_first(Peer &peer, SegmentWriter &writer, OutBatch &batch, std::uint64_t max_bytes,
                    TimePoint at);
    void write(const SenderSession &session, const SegmentPlan &plan, SegmentWriter &writer);
    [[nodiscard]] Frame frame_of(const Peer &peer, const SenderSession &session) const;

    EngineContext &context_;
    SlotPool<SenderSession> sessions_;
    SenderPools pools_;
    SessionTable table_;
};

}  // namespace farlink::cla::ltp
