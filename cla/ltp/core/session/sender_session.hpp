// SPDX-License-Identifier: Apache-2.0
// The session of one outgoing block: octets that were sent, acknowledged, or must be repeated
// (RFC 5326 sections 4.1, 6.2, 6.7, 6.12, 6.13, 6.15 to 6.19).
// Owned by the engine; one thread. Plans segments, which the engine writes. The octets of a large
// block come part by part; parts at its front that the peer has are released.
// All times are contact time (contact_clock.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "cla/ltp/core/codec/types.hpp"
#include "cla/ltp/core/session/interval_list.hpp"
#include "cla/ltp/core/session/out_block.hpp"

namespace farlink::cla::ltp {

/// A checkpoint without a report yet.
struct Checkpoint {
    std::uint64_t serial = 0;
    std::uint64_t scope = 0;  ///< end of the checkpoint before it; of a first transmission
    Interval segment;
    std::uint64_t report_serial = 0;  ///< of the report that it answers; 0: none
    TimePoint sent{};
    std::uint16_t sends = 0;
    SegmentType type = SegmentType::kCheckpoint;
    bool due = false;  ///< to be sent again
};

/// Gaps of one report that are to be sent again (RFC 5326 section 6.13).
struct Repair {
    Interval scope;
    std::uint64_t cursor = 0;  ///< octets before it were sent again
    std::uint64_t report_serial = 0;
    TimePoint due{};
    Interval last;  ///< the last segment of the repair, unless it was a checkpoint
};

struct SenderPools {
    IntervalPool intervals;
    NodePool<Checkpoint> checkpoints;
    NodePool<Repair> repairs;
    NodePool<OutBlock> parts;
    MemoryPool memory;
};

/// The size of segments: all but the last of a run have `total` octets.
struct Frame {
    std::uint32_t total = 0;
    std::uint32_t overhead = 0;  ///< prefix and extensions
};

/// A segment to be written.
struct SegmentPlan {
    SegmentType type = SegmentType::kRed;
    DataFields fields;  ///< without data
    std::uint64_t size = 0;
    CancelReason reason{};
};

struct SenderLimits {
    std::uint32_t retries = 0;  ///< of one serial number
    std::uint32_t cycles = 0;   ///< reports with gaps, see most_gap_reports()
    std::uint32_t checkpoint_every = 0;
};

enum class ReportVerdict : std::uint8_t {
    kTaken,
    kRepeated,
    kBeyondSent,         ///< claims octets that were not sent
    kUnknownCheckpoint,  ///< answers a checkpoint that was not sent
};

/// start() ──► kSending; a session begins kClosed.
/// kSending ──last octet sent──► kWaiting ──red part acknowledged──► kClosed
///    │                             │                                  ▲ ▲
///    ├──────cancel()───────────────┴──► kCancelling ──answer, limit───┘ │
///    └──────green or acknowledged block sent; cancelled by the peer─────┘
enum class SenderState : std::uint8_t { kSending, kWaiting, kCancelling, kClosed };

class SenderSession {
public:
    struct Start {
        std::uint64_t number = 0;
        std::uint64_t first_serial = 0;
        std::uint64_t service = kBundleService;
        std::uint64_t red_size = 0;
        std::uint64_t token = 0;
        std::uint32_t token_count = 1;
        PeerId peer{};
    };

    /// `block` is the block, or its beginning, to which add_part() adds `following` octets.
    void start(const Start &start, OutBlock block, std::uint64_t following = 0);
    /// While kSending.
    void add_part(OutBlock part, SenderPools &pools);
    /// The octets that are here: those before them were released, those behind them come later.
    [[nodiscard]] Interval here() const { return {released_, here_to_}; }
    /// Octets are here that were not sent yet.
    [[nodiscard]] bool has_unsent() const {
        return state_ == SenderState::kSending && next_ < here_to_;
    }
    /// Gives everything back to the pools.
    void release(SenderPools &pools);

    /// Is there a segment of plan_urgent() to send now?
    [[nodiscard]] bool wants_to_send(TimePoint at, SenderPools &pools) const;
    /// The next repeated segment or cancel segment; it counts as sent.
    [[nodiscard]] std::optional<SegmentPlan> plan_urgent(const Frame &frame, TimePoint at,
                                                         SenderPools &pools);
    /// The next segment of the first transmission, while has_unsent().
    [[nodiscard]] SegmentPlan plan_next(const Frame &frame, const SenderLimits &limits,
                                        TimePoint at, SenderPools &pools);
    /// RFC 5326 section 6.13; gaps are repaired from `at + delay` on.
    [[nodiscard]] ReportVerdict handle_report(const ReportFields &report,
                                              const SenderLimits &limits, Duration delay,
                                              TimePoint at, SenderPools &pools);
    /// When the checkpoint of the report was sent; `otherwise`: that checkpoint is not open.
    [[nodiscard]] TimePoint asked_at(const ReportFields &report, TimePoint otherwise,
                                     SenderPools &pools) const;
    /// Returns when a checkpoint was sent that is overdue for the first time; kNever: none is.
    TimePoint handle_timeout(const LinkTiming &timing, const SenderLimits &limits, TimePoint at,
                             SenderPools &pools);
    /// When handle_timeout() is due, or a repair may begin.
    [[nodiscard]] TimePoint next_deadline(const LinkTiming &timing, SenderPools &pools) const;
    /// RFC 5326 section 6.19.
    void cancel(CancelReason reason, SenderPools &pools);
    /// The peer has cancelled the session, or has acknowledged a cancel segment.
    void close(SenderPools &pools);

    [[nodiscard]] SenderState state() const { return state_; }
    [[nodiscard]] const Start &info() const { return start_; }
    /// The block, or its part, with the octet at `offset`, which must be here.
    [[nodiscard]] const OutBlock &block_at(std::uint64_t offset, SenderPools &pools) const;
    /// Moves the block, or the oldest part that is here, to the caller; its token is the first one.
    [[nodiscard]] OutBlock take_block(SenderPools &pools);
    /// Whether take_block() is due: the peer has the oldest part, which is not the last one.
    [[nodiscard]] bool has_delivered_part(SenderPools &pools) const;
    /// True once: the block has ended, and its end is to be published.
    [[nodiscard]] bool take_end() { return !std::exchange(end_published_, true); }
    [[nodiscard]] CancelReason reason() const { return reason_; }
    /// Closed because all was sent and the red part is acknowledged (RFC 5326 section 6.12).
    [[nodiscard]] bool delivered() const { return delivered_; }
    /// Has all of the block been sent at least once?
    [[nodiscard]] bool sent_once() const { return next_ == size_; }
    [[nodiscard]] bool acknowledged(SenderPools &pools) const {
        return acknowledged_.contains(pools.intervals, 0, start_.red_size);
    }

private:
    void transition(SenderState to);
    [[nodiscard]] std::uint64_t room(const Frame &frame, std::uint64_t offset,
                                     const Checkpoint *checkpoint) const;
    [[nodiscard]] SegmentType checkpoint_type(std::uint64_t end) const;
    [[nodiscard]] SegmentPlan plan_checkpoint(Checkpoint checkpoint, TimePoint at,
                                              SenderPools &pools);
    [[nodiscard]] SegmentPlan plan_data(SegmentType type, Interval octets) const;
    [[nodiscard]] SegmentPlan plan_first(const Frame &frame, const SenderLimits &limits,
                                         TimePoint at, SenderPools &pools);
    [[nodiscard]] SegmentPlan plan_green(const Frame &frame);
    [[nodiscard]] SegmentPlan plan_again(const Checkpoint &checkpoint) const;
    [[nodiscard]] std::optional<SegmentPlan> plan_repair(const Frame &frame, TimePoint at,
                                                         SenderPools &pools);
    void drop_answered(const ReportFields &report, SenderPools &pools);
    [[nodiscard]] bool is_of_reporter(std::uint64_t serial) const;
    [[nodiscard]] Interval forget_reporter(const ReportFields &report, SenderPools &pools);
    void repair_gaps(Interval scope, TimePoint due, const SenderLimits &limits, SenderPools &pools);
    void watch(TimePoint at, SenderPools &pools);
    void close_delivered(SenderPools &pools);
    void forget_progress(SenderPools &pools);

    Start start_;
    OutBlock block_;            ///< or the oldest part that is here
    PoolList<OutBlock> parts_;  ///< behind it
    std::uint64_t size_ = 0;
    std::uint64_t here_to_ = 0;
    std::uint64_t released_ = 0;  ///< octets before it are here no more
    std::uint64_t next_ = 0;      ///< octets that were sent at least once
    std::uint64_t last_serial_ = 0;
    std::uint64_t last_scope_ = 0;  ///< end of the last checkpoint of the first transmission
    IntervalList acknowledged_;     ///< by one receiver
    IntervalList reports_seen_;
    Interval reporter_;  ///< serial numbers of that receiver's reports; empty: none so far
    PoolList<Checkpoint> checkpoints_;
    PoolList<Repair> repairs_;
    std::uint64_t last_report_ = 0;
    TimePoint cancel_sent_{};
    TimePoint stalled_since_ = kNever;
    std::uint32_t since_checkpoint_ = 0;  ///< segments
    std::uint32_t discretionary_ = 0;     ///< checkpoints before the end of the red part
    std::uint32_t cycles_ = 0;            ///< reports with gaps
    std::uint16_t cancel_sends_ = 0;
    bool cancel_due_ = false;
    bool checkpoint_due_ = false;
    bool delivered_ = false;
    bool end_published_ = false;
    SenderState state_ = SenderState::kClosed;
    CancelReason reason_{};

public:
    bool queued = false;  ///< set by the engine: queued to send; here it takes no octets
};

}  // namespace farlink::cla::ltp
