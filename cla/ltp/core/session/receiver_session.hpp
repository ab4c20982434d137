// SPDX-License-Identifier: Apache-2.0
// The session of one incoming block: received octets, delivery, cancellation; its reports apart
// (RFC 5326 sections 6.3, 6.8 to 6.11, 6.14 to 6.21).
// Owned by the engine; one thread. Octets are written to their place in the block's memory.
// All times are contact time (contact_clock.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "cla/ltp/core/codec/types.hpp"
#include "cla/ltp/core/session/block_parts.hpp"
#include "cla/ltp/core/session/interval_list.hpp"
#include "cla/ltp/core/session/receive_memory.hpp"
#include "cla/ltp/core/session/receiver_reports.hpp"

namespace farlink::cla::ltp {

/// start() ──► kReceiving; a session begins kClosed.
/// kReceiving ──red part complete──► kComplete ──all reports acknowledged──► kClosed
///     │                                │                                     ▲ ▲
///     ├────────────cancel()────────────┴──────► kCancelling ──answer, limit──┘ │
///     └────────green block complete or given up; cancelled by the peer─────────┘
enum class ReceiverState : std::uint8_t { kReceiving, kComplete, kCancelling, kClosed };

class ReceiverSession {
public:
    struct Start {
        std::uint64_t number = 0;
        std::uint64_t service = kBundleService;
        std::uint64_t first_serial = 0;
        PeerId peer{};
        std::uint32_t slot = 0;
    };

    void start(const Start &start, TimePoint at);
    void release(ReceiveMemory &memory, ReceiverPools &pools);

    [[nodiscard]] DataVerdict handle_data(const Segment &segment, const ReceiverLimits &limits,
                                          TimePoint at, ReceiveMemory &memory,
                                          ReceiverPools &pools);
    /// RFC 5326 section 6.14; false: no such report was sent.
    [[nodiscard]] bool handle_report_ack(std::uint64_t serial, ReceiverPools &pools);
    void handle_timeout(const LinkTiming &timing, const ReceiverLimits &limits, TimePoint at,
                        ReceiveMemory &memory, ReceiverPools &pools);
    [[nodiscard]] TimePoint next_deadline(const LinkTiming &timing, const ReceiverLimits &limits,
                                          ReceiverPools &pools) const;

    /// Is there a report or a cancel segment to send now?
    [[nodiscard]] bool wants_to_send(TimePoint at, ReceiverPools &pools) const;
    /// The next report to write, or null; it counts as sent.
    [[nodiscard]] const Report *poll_report(TimePoint at, ReceiverPools &pools);
    /// True: a cancel segment is to be written, and counts as sent.
    [[nodiscard]] bool poll_cancel(TimePoint at);
    /// The received octets, for the claims of reports.
    [[nodiscard]] const IntervalList &received() const { return received_; }
    /// Received octets that the report does not claim.
    [[nodiscard]] Interval withheld(const Report &report) const {
        return report.partial ? Interval{fresh_.end - 1, fresh_.end} : Interval{};
    }

    /// The block may be delivered: it is complete, or its red part is and no more will arrive.
    [[nodiscard]] bool deliverable() const {
        return deliverable_ && !delivered_ && state_ < ReceiverState::kCancelling;
    }
    /// The block's memory; the caller empties it.
    [[nodiscard]] BlockMemory &take_block() {
        delivered_ = true;
        return block_;
    }
    /// The octets of a large block that are to be passed on now, with their memory; may be empty.
    [[nodiscard]] ChunkList poll_part(const ReceiverLimits &limits, TimePoint at,
                                      ReceiveMemory &memory, ReceiverPools &pools);

    /// The block's slabs are full: an incomplete block may move out of them.
    void leave_slabs(ReceiveMemory &memory, ReceiverPools &pools) {
        if (!delivered_) memory.move_out(start_.slot, block_, pools.chunks);
    }
    /// The closing report may be sent.
    void block_safe() { safe_ = true; }
    void cancel(CancelReason reason, ReceiveMemory &memory, ReceiverPools &pools);
    void close(ReceiveMemory &memory, ReceiverPools &pools);
    /// The session has nothing left to do, and is to be closed.
    [[nodiscard]] bool finished(ReceiverPools &pools) const;

    [[nodiscard]] ReceiverState state() const { return state_; }
    [[nodiscard]] const Start &info() const { return start_; }
    [[nodiscard]] CancelReason reason() const { return reason_; }
    [[nodiscard]] bool delivered() const { return delivered_; }
    /// The memory of the block until it is complete, and how many octets were passed on.
    [[nodiscard]] const BlockMemory &block() const { return block_; }
    /// Its age (of the block, or of the next part of a large one), and the octets a second that
    /// have arrived lately; 0 after such a `silence`.
    [[nodiscard]] Duration age(TimePoint at) const { return at - begun_; }
    [[nodiscard]] std::uint64_t pace(TimePoint at, Duration silence = PaceMeter::kSilence) const {
        return meter_.pace(block_.all_arrived(), at, silence);
    }
    /// Sizes of the block and of its red part.
    [[nodiscard]] const BlockParts &parts() const { return parts_; }
    /// A gap was filled before any report of it: segments arrive out of order.
    [[nodiscard]] bool saw_reordering() const { return saw_reordering_; }

    /// Anything has changed since the last call, except for octets that were added.
    [[nodiscard]] bool wants_update() { return std::exchange(changed_, false); }
    /// A closing report was sent: the sender may have it.
    [[nodiscard]] bool closing_sent() const { return closing_sent_; }

    bool published = false;  ///< set by the engine: the cancellation is published
    // Set by the engine: the list of the peer's sessions.
    std::uint32_t next = ~0U;
    std::uint32_t previous = ~0U;

private:
    void transition(ReceiverState to);
    [[nodiscard]] DataVerdict store(const DataFields &data, const ReceiverLimits &limits,
                                    TimePoint at, ReceiveMemory &memory, ReceiverPools &pools);
    void note_progress(const ReceiverLimits &limits, TimePoint at, ReceiverPools &pools);
    void give_up_green(ReceiverPools &pools);
    [[nodiscard]] bool green_may_end(ReceiverPools &pools) const;
    /// Octets of the block are missing.
    [[nodiscard]] bool is_incomplete() const {
        return !delivered_ && !deliverable_ && state_ < ReceiverState::kCancelling;
    }
    /// The closing report of a red block waits until the block is safe, without a limit, since
    /// the sender drops the block when it arrives. That of a red part before a green one waits for
    /// `hold` only.
    [[nodiscard]] bool holds(TimePoint at) const {
        if (state_ != ReceiverState::kComplete || safe_) return false;
        return at < hold_until_ || (holding_ && parts_.all_red());
    }
    [[nodiscard]] bool held_too_long(TimePoint at) const {
        return delivered_ && !closing_sent_ && at >= hold_until_ && holds(at);
    }
    /// The block was delivered, and is neither safe nor refused yet: its session stays open.
    [[nodiscard]] bool is_responsible(TimePoint at) const { return delivered_ && holds(at); }
    void ask_for_patience(const ReceiverLimits &limits, TimePoint at, ReceiverPools &pools);

    Start start_;
    IntervalList received_;
    ReceiverReports reports_;
    Interval fresh_;  ///< the octets that arrived last: only the closing report claims them
    BlockMemory block_;
    BlockParts parts_;
    TimePoint begun_{};
    TimePoint received_at_{};
    TimePoint progressed_{};  ///< when new octets arrived
    PaceMeter meter_;
    TimePoint hold_until_{};
    TimePoint cancel_sent_{};
    std::uint16_t cancel_sends_ = 0;
    bool cancel_due_ = false;
    bool postponed_ = false;  ///< octets, since the last checkpoint
    bool deliverable_ = false;
    bool delivered_ = false;
    bool safe_ = false;
    bool holding_ = false;  ///< closing reports are held
    bool reported_gaps_ = false;
    bool saw_reordering_ = false;
    bool changed_ = false;
    bool closing_sent_ = false;  ///< a report was sent when nothing was missing
    ReceiverState state_ = ReceiverState::kClosed;
    CancelReason reason_{};

public:
    bool queued = false;  ///< set by the engine: queued to send; here it takes no octets
};

}  // namespace farlink::cla::ltp
