// SPDX-License-Identifier: Apache-2.0
// The half of an engine that receives blocks: imports them, reports on them, refuses what exceeds
// a limit, and ends their sessions (RFC 5326 sections 6.3, 6.8 to 6.11, 6.14 to 6.22).
// Owned by the engine; one thread.
#pragma once

#include <functional>

#include "cla/ltp/core/codec/out_batch.hpp"
#include "cla/ltp/core/engine/arrived_blocks.hpp"
#include "cla/ltp/core/engine/engine_context.hpp"
#include "cla/ltp/core/memory/slot_pool.hpp"
#include "cla/ltp/core/session/session_history.hpp"
#include "cla/ltp/core/session/session_table.hpp"

namespace farlink::cla::ltp {

class ReceivingEngine {
public:
    ReceivingEngine(EngineContext &context, RandomSource &random)
        : context_(context),
          table_(random.next()),
          history_(context.config.history_sessions, random.next()) {}
    /// Gives the memory of all sessions and blocks back.
    ~ReceivingEngine();
    ReceivingEngine(const ReceivingEngine &) = delete;
    ReceivingEngine &operator=(const ReceivingEngine &) = delete;

    // ---- blocks
    [[nodiscard]] bool poll_block(ReceivedBlock &block) { return arrived_.poll(block); }
    void block_safe(SessionHandle session, TimePoint now);
    void block_refused(SessionHandle session, TimePoint now);
    [[nodiscard]] bool is_open(SessionHandle session) {
        const ReceiverSession *const found = sessions_.find(session);
        return found != nullptr && found->state() < ReceiverState::kCancelling;
    }
    /// While `held`, the parts of large blocks stay here, and their senders repeat segments that
    /// find no memory.
    void hold_parts(Peer &peer, bool held, TimePoint at);
    /// Ends all sessions with a peer that is removed; sends nothing.
    void end_sessions(Peer &peer);

    // ---- segments of the peer
    void handle_data(Peer &peer, const Segment &segment, TimePoint at);
    void handle_report_ack(Peer &peer, const Segment &segment, TimePoint at);
    void handle_cancel(Peer &peer, const Segment &segment);
    void handle_cancel_ack(Peer &peer, const Segment &segment);

    // ---- segments to the peer
    /// Writes reports and cancel segments.
    void poll_segments(Peer &peer, SegmentWriter &writer, OutBatch &batch, std::uint64_t max_bytes,
                       TimePoint at);

    // ---- time
    void handle_timeout(Peer &peer, std::uint32_t slot, TimePoint at);
    /// The peer's timing has changed: sets all timers anew.
    void rearm(Peer &peer, TimePoint at);

    // ---- memory
    /// Called after share_memory()'s shares have taken blocks from a peer; there are segments to
    /// poll then.
    void when_given_back(std::function<void()> callback) { given_back_ = std::move(callback); }
    void note_given_back() const {
        if (given_back_) given_back_();
    }
    /// Small incomplete blocks move out of slabs in which nothing grows any more.
    void leave_slabs(Peer &peer);
    /// Cancels the session, whose memory is needed elsewhere.
    void give_up(Peer &peer, std::uint32_t slot, TimePoint at);
    [[nodiscard]] const ReceiverSession &session(std::uint32_t slot) { return sessions_[slot]; }
    [[nodiscard]] std::size_t sessions() const { return sessions_.used(); }
    [[nodiscard]] std::uint32_t capacity() const { return sessions_.capacity(); }
    [[nodiscard]] std::uint64_t refusals() const { return refusals_; }
    [[nodiscard]] std::size_t state_bytes() const;
    /// No session may be open.
    void give_back();

private:
    [[nodiscard]] std::uint32_t find(Peer &peer, std::uint64_t number);
    [[nodiscard]] std::uint32_t open(Peer &peer, const Segment &segment, TimePoint at);
    [[nodiscard]] bool has_place(const Peer &peer) const;
    [[nodiscard]] bool make_place(const Peer &asking);
    void drop_silent(Peer &peer, std::uint32_t most);
    void refuse(Peer &peer, const Segment &segment, CancelReason reason);
    void handle_late(Peer &peer, const Segment &segment, SessionEnd end);
    void handle_verdict(Peer &peer, std::uint32_t slot, DataVerdict verdict, TimePoint at);
    void update(Peer &peer, std::uint32_t slot, TimePoint at);
    void cancel(Peer &peer, std::uint32_t slot, CancelReason reason, TimePoint at);
    void close(Peer &peer, std::uint32_t slot, SessionEnd end);
    void enlist(Peer &peer, std::uint32_t slot);
    void delist(Peer &peer, std::uint32_t slot);
    void write(Peer &peer, ReceiverSession &session, SegmentWriter &writer, TimePoint at);

    EngineContext &context_;
    SlotPool<ReceiverSession> sessions_;
    ReceiverPools pools_;
    SessionTable table_;
    SessionHistory history_;
    ArrivedBlocks arrived_{pools_};
    std::uint64_t refusals_ = 0;
    std::uint32_t unknown_sessions_ = 0;  ///< sessions of peers that are `unknown`
    TimePoint looked_for_places_{};       ///< make_place()
    std::function<void()> given_back_;
};

}  // namespace farlink::cla::ltp
