// SPDX-License-Identifier: Apache-2.0
// One block on its way in: what is here, what was asked and what was reported
// (RFC 5326 sections 6.3, 6.8 to 6.11, 6.14 to 6.21).
// Owned by the engine; one thread. Octets go to their place in the block's own memory.
// All times are contact time (contact_clock.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "cla/ltp/core/codec/types.hpp"
#include "cla/ltp/core/session/interval_list.hpp"
#include "cla/ltp/core/session/receive_memory.hpp"

namespace farlink::cla::ltp {

/// kDeferred ──its time has come, or nothing is missing──► kReady ──sent──► kSent ──► kAcked
///                                                           ▲───timer, asked again──┘
enum class ReportState : std::uint8_t { kDeferred, kReady, kSent, kAcked };

/// A report segment. Its claims are those of the moment when it is sent: all of them are true,
/// and the later ones spare repetitions.
struct Report {
    std::uint64_t serial = 0;  ///< 0 while deferred
    std::uint64_t checkpoint = 0;
    Interval scope;
    TimePoint since{};  ///< sent, or due while deferred
    std::uint16_t sends = 0;
    ReportState state = ReportState::kDeferred;
    bool partial = false;  ///< while the block is not safe: all but one octet is claimed
};

struct ReceiverPools {
    IntervalPool intervals;
    NodePool<Report> reports;
    ChunkPool chunks;
};

struct ReceiverLimits {
    std::uint32_t retries = 0;  ///< of one serial number
    std::uint32_t cycles = 0;   ///< reports with gaps, see most_gap_reports()
    std::uint32_t gaps = 0;     ///< intervals of octets that are here
    std::uint64_t block_bytes = 0;
    std::uint32_t report_bytes = 0;  ///< of a report segment's content
    Duration report_delay{};         ///< a report of gaps waits for them to close
    Duration hold{};                 ///< after it a sender whose block is not safe hears a word
    Duration silence{};
    /// A block of which nothing new comes for so long is given up.
    Duration progress = seconds(1'000'000'000);
};

enum class DataVerdict : std::uint8_t {
    kTaken,
    kDuplicate,
    kMiscoloured,    ///< RFC 5326 section 6.21
    kContradictory,  ///< with what the ends of red part and block were said to be
    kTooLarge,
    kTooManyGaps,
    kNoMemory,
};

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
    /// RFC 5326 section 6.14; false when no such report was sent.
    [[nodiscard]] bool handle_report_ack(std::uint64_t serial, ReceiverPools &pools);
    void handle_timeout(const LinkTiming &timing, const ReceiverLimits &limits, TimePoint at,
                        ReceiveMemory &memory, ReceiverPools &pools);
    [[nodiscard]] TimePoint next_deadline(const LinkTiming &timing, const ReceiverLimits &limits,
                                          ReceiverPools &pools) const;

    /// Is there a report or a cancel segment to send now?
    [[nodiscard]] bool wants_to_send(TimePoint at, ReceiverPools &pools) const;
    /// The next report to write, which counts as sent; null: none.
    [[nodiscard]] const Report *poll_report(TimePoint at, ReceiverPools &pools);
    /// True when a cancel segment is to be written, which counts as sent.
    [[nodiscard]] bool poll_cancel(TimePoint at);
    /// What is received, for the claims of reports.
    [[nodiscard]] const IntervalList &received() const { return received_; }
    /// What a report does not claim, though it is here.
    [[nodiscard]] Interval withheld(const Report &report) const {
        return report.partial ? Interval{fresh_.end - 1, fresh_.end} : Interval{};
    }

    /// The block may be taken: it is complete, or its red part is and no more is to come.
    [[nodiscard]] bool deliverable() const {
        return deliverable_ && !delivered_ && state_ < ReceiverState::kCancelling;
    }
    /// The block's memory; the caller empties it.
    [[nodiscard]] BlockMemory &take_block() {
        delivered_ = true;
        return block_;
    }
    /// The slabs that the block lies in are full: what is not complete may leave them.
    void leave_slabs(ReceiveMemory &memory, ReceiverPools &pools) {
        if (!delivered_) memory.move_out(start_.slot, block_, pools.chunks);
    }
    /// The closing report may go.
    void block_safe() { safe_ = true; }
    void cancel(CancelReason reason, ReceiveMemory &memory, ReceiverPools &pools);
    void close(ReceiveMemory &memory, ReceiverPools &pools);
    /// Everything is done that the session was for; the engine closes it.
    [[nodiscard]] bool finished(ReceiverPools &pools) const;

    [[nodiscard]] ReceiverState state() const { return state_; }
    [[nodiscard]] const Start &info() const { return start_; }
    [[nodiscard]] CancelReason reason() const { return reason_; }
    [[nodiscard]] bool delivered() const { return delivered_; }
    /// Memory that the block takes until it is complete, and the octets a second that have come of
    /// it since it began.
    [[nodiscard]] std::uint64_t held_bytes() const { return block_.held; }
    [[nodiscard]] Duration age(TimePoint at) const { return at - begun_; }
    [[nodiscard]] std::uint64_t pace(TimePoint at) const;
    /// Octets of the block that is delivered, and of its red part.
    [[nodiscard]] std::uint64_t block_size() const { return whole_ ? size_ : red_size(); }
    [[nodiscard]] std::uint64_t red_size() const {
        return red_known_ == kUnknown ? red_end_ : red_known_;
    }
    [[nodiscard]] bool whole() const { return whole_; }
    /// A gap was filled before it was ever reported: packets arrive out of order.
    [[nodiscard]] bool saw_reordering() const { return saw_reordering_; }

    /// Something has happened since the last call but data that came in their place.
    [[nodiscard]] bool wants_update() { return std::exchange(changed_, false); }
    /// The sender may know that the block is here.
    [[nodiscard]] bool closing_sent() const { return closing_sent_; }

    bool queued = false;     ///< the engine's: it waits for its turn to send
    bool published = false;  ///< the engine's: that it was cancelled
    // The engine's: the peer's sessions.
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
    /// Waits for octets of the block.
    [[nodiscard]] bool is_incomplete() const {
        return !delivered_ && !deliverable_ && state_ < ReceiverState::kCancelling;
    }
    /// The closing report of a red block waits until it is safe, however long that takes: it is a
    /// promise. That of a red part before a green one waits for a while only.
    [[nodiscard]] bool holds(TimePoint at) const {
        if (state_ != ReceiverState::kComplete || safe_) return false;
        return at < hold_until_ || (holding_ && red_known_ == size_);
    }
    [[nodiscard]] bool held_too_long(TimePoint at) const {
        return delivered_ && !closing_sent_ && at >= hold_until_ && holds(at);
    }
    /// The block was handed over, and what has become of it is not told yet: its session lasts.
    [[nodiscard]] bool is_responsible(TimePoint at) const { return delivered_ && holds(at); }
    void ask_for_patience(const ReceiverLimits &limits, TimePoint at, ReceiverPools &pools);
    [[nodiscard]] Report *find_ready(TimePoint at, ReceiverPools &pools) const;
    void forget_progress(ReceiverPools &pools);

    Start start_;
    IntervalList received_;
    IntervalList checkpoints_seen_;
    PoolList<Report> reports_;
    Interval fresh_;  ///< octets that came last, and so are in no report before the closing one
    BlockMemory block_;
    std::uint64_t red_known_ = kUnknown;  ///< size of the red part, from its end
    std::uint64_t size_ = kUnknown;       ///< of the block, from its end
    std::uint64_t red_end_ = 0;           ///< as far as red data have come
    std::uint64_t green_begin_ = kUnknown;
    std::uint64_t primary_end_ = 0;  ///< upper bound of the last primary report
    std::uint64_t last_serial_ = 0;
    TimePoint begun_{};
    TimePoint received_at_{};
    TimePoint progressed_{};  ///< octets came that were not here
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
    bool holding_ = false;  ///< reports are held at all
    bool reported_gaps_ = false;
    bool saw_reordering_ = false;
    bool changed_ = false;
    bool closing_sent_ = false;  ///< a report was sent when nothing was missing
    ReceiverState state_ = ReceiverState::kClosed;
    CancelReason reason_{};
};

}  // namespace farlink::cla::ltp
