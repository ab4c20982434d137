// SPDX-License-Identifier: Apache-2.0
// The session of one incoming block: received octets, checkpoints and reports
// (RFC 5326 sections 6.3, 6.8 to 6.11, 6.14 to 6.21).
// Owned by the engine; one thread. Octets are written to their place in the block's memory.
// All times are contact time (contact_clock.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "cla/ltp/core/codec/types.hpp"
#include "cla/ltp/core/session/interval_list.hpp"
#include "cla/ltp/core/session/receive_memory.hpp"

namespace farlink::cla::ltp {

/// kDeferred ──due, or nothing is missing──► kReady ──sent──► kSent ──► kAcked
///                                             ▲──timer, checkpoint again──┘
enum class ReportState : std::uint8_t { kDeferred, kReady, kSent, kAcked };

/// A report segment. Its claims are made when it is sent, so that data which arrive before that are
/// not repeated.
struct Report {
    std::uint64_t serial = 0;  ///< 0 while deferred
    std::uint64_t checkpoint = 0;
    Interval scope;
    TimePoint since{};  ///< sent, or due while deferred
    std::uint16_t sends = 0;
    ReportState state = ReportState::kDeferred;
    bool partial = false;  ///< the block is not safe: all octets but one are claimed
};

struct ReceiverPools {
    IntervalPool intervals;
    NodePool<Report> reports;
    ChunkPool chunks;
};

struct ReceiverLimits {
    std::uint32_t retries = 0;  ///< of one serial number
    std::uint32_t cycles = 0;   ///< reports with gaps, see most_gap_reports()
    std::uint32_t gaps = 0;     ///< intervals of received octets
    std::uint64_t block_bytes = 0;
    std::uint32_t report_bytes = 0;  ///< of a report segment's content
    Duration report_delay{};         ///< of a report with gaps, which may close meanwhile
    Duration hold{};                 ///< then a partial report is sent for a block that is not safe
    Duration silence{};
    /// A block without new octets for this time is cancelled.
    Duration progress = seconds(1'000'000'000);
};

enum class DataVerdict : std::uint8_t {
    kTaken,
    kDuplicate,
    kMiscoloured,    ///< RFC 5326 section 6.21
    kContradictory,  ///< contradicts the known end of red part or block
    kTooLarge,
    kTooManyGaps,
    kNoMemory,
};

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
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

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
    /// Memory of the block until it is complete, its age, and the octets a second that have
    /// arrived.
    [[nodiscard]] std::uint64_t held_bytes() const { return block_.held; }
    [[nodiscard]] Duration age(TimePoint at) const { return at - begun_; }
    [[nodiscard]] std::uint64_t pace(TimePoint at) const;
    /// Octets of the block as it is delivered, and of its red part.
    [[nodiscard]] std::uint64_t block_size() const { return whole_ ? size_ : red_size(); }
    [[nodiscard]] std::uint64_t red_size() const {
        return red_known_ == kUnknown ? red_end_ : red_known_;
    }
    [[nodiscard]] bool whole() const { return whole_; }
    /// A gap was filled before any report of it: segments arrive out of order.
    [[nodiscard]] bool saw_reordering() const { return saw_reordering_; }

    /// Anything has changed since the last call, except for octets that were added.
    [[nodiscard]] bool wants_update() { return std::exchange(changed_, false); }
    /// A closing report was sent: the sender may have it.
    [[nodiscard]] bool closing_sent() const { return closing_sent_; }

    bool queued = false;     ///< set by the engine: queued to send
    bool published = false;  ///< set by the engine: the cancellation is published
    // Set by the engine: the list of the peer's sessions.
    std::uint32_t next = ~0U;
    std::uint32_t previous = ~0U;

private:
    void transition(ReceiverState to);
    [[nodiscard]] DataVerdict judge(const Segment &segment, const ReceiverLimits &limits) const;
    [[nodiscard]] DataVerdict store(const DataFields &data, const ReceiverLimits &limits,
                                    TimePoint at, ReceiveMemory &memory, ReceiverPools &pools);
    void note_ends(const Segment &segment);
    void note_progress(const ReceiverLimits &limits, TimePoint at, ReceiverPools &pools);
    [[nodiscard]] bool handle_checkpoint(const DataFields &data, const ReceiverLimits &limits,
                                         TimePoint at, ReceiverPools &pools);
    [[nodiscard]] std::uint64_t scope_begin(const DataFields &data, ReceiverPools &pools);
    [[nodiscard]] bool too_many_open(const ReceiverLimits &limits, ReceiverPools &pools) const;
    [[nodiscard]] bool too_many_gap_reports(const ReceiverLimits &limits) const;
    void issue(Report asked, const ReceiverLimits &limits, ReceiverPools &pools);
    void issue_deferred(const ReceiverLimits &limits, TimePoint at, ReceiverPools &pools);
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
        return at < hold_until_ || (holding_ && red_known_ == size_);
    }
    [[nodiscard]] bool held_too_long(TimePoint at) const {
        return delivered_ && !closing_sent_ && at >= hold_until_ && holds(at);
    }
    /// The block was delivered, and is neither safe nor refused yet: its session stays open.
    [[nodiscard]] bool is_responsible(TimePoint at) const { return delivered_ && holds(at); }
    void ask_for_patience(const ReceiverLimits &limits, TimePoint at, ReceiverPools &pools);
    [[nodiscard]] Report *find_ready(TimePoint at, ReceiverPools &pools) const;
    void forget_progress(ReceiverPools &pools);

    Start start_;
    IntervalList received_;
    IntervalList checkpoints_seen_;
    PoolList<Report> reports_;
    Interval fresh_;  ///< the octets that arrived last: only the closing report claims them
    BlockMemory block_;
    std::uint64_t red_known_ = kUnknown;  ///< size of the red part, from its end
    std::uint64_t size_ = kUnknown;       ///< of the block, from its end
    std::uint64_t red_end_ = 0;           ///< the end of received red data
    std::uint64_t green_begin_ = kUnknown;
    std::uint64_t primary_end_ = 0;  ///< upper bound of the last primary report
    std::uint64_t last_serial_ = 0;
    TimePoint begun_{};
    TimePoint received_at_{};
    TimePoint progressed_{};  ///< when new octets arrived
    TimePoint hold_until_{};
    TimePoint cancel_sent_{};
    std::uint32_t primary_ = 0;      ///< checkpoints that answer no report
    std::uint32_t gap_reports_ = 0;  ///< reports with gaps
    std::uint16_t cancel_sends_ = 0;
    bool cancel_due_ = false;
    bool deliverable_ = false;
    bool delivered_ = false;
    bool whole_ = false;  ///< the delivered block goes up to its end
    bool safe_ = false;
    bool holding_ = false;  ///< closing reports are held
    bool reported_gaps_ = false;
    bool saw_reordering_ = false;
    bool changed_ = false;
    bool closing_sent_ = false;  ///< a report was sent when nothing was missing
    ReceiverState state_ = ReceiverState::kClosed;
    CancelReason reason_{};
};

}  // namespace farlink::cla::ltp
