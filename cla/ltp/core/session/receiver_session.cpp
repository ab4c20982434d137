// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/receiver_session.hpp"

#include <algorithm>
#include <utility>

#include "cla/ltp/core/session/peer_config.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla::ltp {
namespace {

/// A report with gaps waits so long if octets found no memory: some may be free by then.
constexpr Duration kReportOfPostponed = milliseconds(100);

/// Octets of the next part of a large block of which `passed` octets were passed on.
std::uint64_t part_size(std::uint64_t passed, const ReceiverLimits &limits) {
    return passed == 0 ? limits.spool_above : std::min(limits.spool_above, limits.part_bytes);
}

/// Octets behind a gap leave room for the next part and for the segment that ends behind it,
/// otherwise the gap might never close.
std::uint64_t spared_room(std::uint64_t passed, const DataFields &data,
                          const ReceiverLimits &limits) {
    return part_size(passed, limits) + 2 * data.data.size();
}

}  // namespace

void ReceiverSession::transition(ReceiverState to) {
    const bool allowed =
        (to == ReceiverState::kReceiving && state_ == ReceiverState::kClosed) ||
        (to == ReceiverState::kComplete && state_ == ReceiverState::kReceiving) ||
        (to == ReceiverState::kCancelling && state_ < ReceiverState::kCancelling) ||
        (to == ReceiverState::kClosed && state_ != ReceiverState::kClosed);
    FARLINK_INVARIANT(allowed);
    state_ = to;
}

void ReceiverSession::start(const Start &start, TimePoint at) {
    start_ = start;
    reports_ = ReceiverReports(start.first_serial);
    begun_ = received_at_ = progressed_ = at;
    meter_.start(0, at);
    transition(ReceiverState::kReceiving);
}

void ReceiverSession::release(ReceiveMemory &memory, ReceiverPools &pools) {
    received_.clear(pools.intervals);
    reports_.clear(pools);
    memory.discard(start_.slot, block_, pools.chunks);
}

// ---- data

// Octets that are present are neither counted nor written again: they may have been reported.
DataVerdict ReceiverSession::store(const DataFields &data, const ReceiverLimits &limits,
                                   TimePoint at, ReceiveMemory &memory, ReceiverPools &pools) {
    if (data.data.empty()) return DataVerdict::kTaken;
    // Green data for a block that was delivered without all of its green part are late.
    if (delivered_) return DataVerdict::kDuplicate;
    const std::uint64_t end = data.end();
    const std::uint64_t so_far = received_.last_end(pools.intervals);
    if (data.offset < so_far && received_.contains(pools.intervals, data.offset, end))
        return DataVerdict::kDuplicate;
    if (block_.large) [[unlikely]]
        block_.spared = data.offset > received_.front_end(pools.intervals)
                            ? spared_room(block_.passed, data, limits)
                            : 0;
    if (!memory.reach(start_.slot, block_, pools.chunks, data.offset, end))
        return block_.large ? DataVerdict::kPostponed : DataVerdict::kNoMemory;
    fresh_ = {data.offset, end};
    progressed_ = at;
    meter_.update(block_.all_arrived(), at);
    if (data.offset >= so_far) {
        ReceiveMemory::write(block_, pools.chunks, data.offset, data.data);
    } else {
        saw_reordering_ = saw_reordering_ || !reported_gaps_;
        auto gap = received_.next_gap(pools.intervals, data.offset, end);
        while (gap) {
            fresh_ = *gap;
            ReceiveMemory::write(block_, pools.chunks, gap->begin,
                                 data.data.subspan(gap->begin - data.offset, gap->size()));
            gap = received_.next_gap(pools.intervals, gap->end, end);
        }
    }
    if (!received_.add(pools.intervals, data.offset, end, limits.gaps))
        return DataVerdict::kTooManyGaps;
    return DataVerdict::kTaken;
}

// The last octet stays for the end of the block, and green data are not passed on before it.
ChunkList ReceiverSession::poll_part(const ReceiverLimits &limits, TimePoint at,
                                     ReceiveMemory &memory, ReceiverPools &pools) {
    if (delivered_ || state_ >= ReceiverState::kCancelling) return {};
    const std::uint64_t end = block_.passed + part_size(block_.passed, limits);
    const std::uint64_t here = std::min(received_.front_end(pools.intervals), parts_.red_size());
    if (here <= end) return {};
    begun_ = at;
    return memory.take_front(start_.slot, block_, pools.chunks, end);
}

// RFC 5326 sections 6.9 and 6.10.
void ReceiverSession::note_progress(const ReceiverLimits &limits, TimePoint at,
                                    ReceiverPools &pools) {
    if (state_ == ReceiverState::kReceiving && parts_.red_size_known() &&
        received_.contains(pools.intervals, 0, parts_.red_size())) {
        transition(ReceiverState::kComplete);
        hold_until_ = at + limits.hold;
        holding_ = limits.hold > Duration{};
    }
    const std::uint64_t size = parts_.size();
    if (deliverable_ || size == BlockParts::kUnknown || size == 0) return;
    const bool red_here = state_ == ReceiverState::kComplete || !parts_.has_red();
    if (!red_here || !received_.contains(pools.intervals, 0, size)) return;
    deliverable_ = true;
    parts_.deliver_whole();
}

DataVerdict ReceiverSession::handle_data(const Segment &segment, const ReceiverLimits &limits,
                                         TimePoint at, ReceiveMemory &memory,
                                         ReceiverPools &pools) {
    if (state_ >= ReceiverState::kCancelling) return DataVerdict::kDuplicate;
    received_at_ = at;
    if (segment.data.end() > limits.spool_above && is_red(segment.type) &&
        start_.service == kBundleService) [[unlikely]]
        block_.large = true;
    const DataVerdict fit =
        parts_.judge(segment, block_.large ? limits.spooled_bytes : limits.block_bytes);
    if (fit != DataVerdict::kTaken) return fit;
    if (segment.data.service != start_.service) return DataVerdict::kContradictory;
    const DataVerdict verdict = store(segment.data, limits, at, memory, pools);
    const bool counts = verdict == DataVerdict::kTaken || verdict == DataVerdict::kDuplicate ||
                        verdict == DataVerdict::kPostponed;
    if (!counts) return verdict;
    postponed_ = postponed_ || verdict == DataVerdict::kPostponed;
    // Data in the middle of a block change nothing else while no report is open.
    const bool plain = segment.type == SegmentType::kRed && !parts_.red_size_known();
    if (plain && reports_.empty()) {
        parts_.add_red(segment.data.end());
        return verdict;
    }
    changed_ = true;
    parts_.add(segment);
    note_progress(limits, at, pools);
    if (!reports_.empty()) reports_.issue_deferred(received_, limits, TimePoint::min(), pools);
    if (!is_checkpoint(segment.type)) return verdict;
    ReceiverLimits reporting = limits;
    if (std::exchange(postponed_, false))
        reporting.report_delay = std::max(limits.report_delay, kReportOfPostponed);
    if (!reports_.handle_checkpoint(segment.data, received_, reporting, at, pools))
        cancel(CancelReason::kRetransmitLimit, memory, pools);
    return verdict;
}

// ---- reports

bool ReceiverSession::handle_report_ack(std::uint64_t serial, ReceiverPools &pools) {
    return reports_.handle_ack(serial, received_, pools);
}

bool ReceiverSession::wants_to_send(TimePoint at, ReceiverPools &pools) const {
    if (state_ == ReceiverState::kCancelling) return cancel_due_;
    if (reports_.empty() || state_ == ReceiverState::kClosed) return false;
    return reports_.find_ready(holds(at), pools) != nullptr;
}

// The sender must not give up a block that was delivered here and is not safe yet. A report that
// claims all octets but one makes it send a new checkpoint, with all of its retries. That octet
// arrived last, so no earlier report has claimed it, and the block stays unacknowledged.
void ReceiverSession::ask_for_patience(const ReceiverLimits &limits, TimePoint at,
                                       ReceiverPools &pools) {
    hold_until_ = at + limits.hold;
    const Interval withheld{fresh_.end - 1, fresh_.end};
    if (withheld == Interval{0, 1}) return;  // nothing would be claimed
    reports_.withhold(withheld, pools);
}

const Report *ReceiverSession::poll_report(TimePoint at, ReceiverPools &pools) {
    if (state_ >= ReceiverState::kCancelling) return nullptr;
    Report *const ready = reports_.poll(holds(at), at, pools);
    if (ready == nullptr || ready->partial) return ready;
    if (state_ == ReceiverState::kComplete)
        closing_sent_ = true;
    else
        reported_gaps_ = reported_gaps_ ||
                         received_.next_gap(pools.intervals, ready->scope.begin, ready->scope.end);
    return ready;
}

bool ReceiverSession::poll_cancel(TimePoint at) {
    if (state_ != ReceiverState::kCancelling || !cancel_due_) return false;
    cancel_due_ = false;
    cancel_sent_ = at;
    ++cancel_sends_;
    return true;
}

// ---- time

// The green part is not repeated: octets that are missing after a pause are lost.
void ReceiverSession::give_up_green(ReceiverPools &pools) {
    if (!green_may_end(pools)) return;
    if (state_ == ReceiverState::kComplete)
        deliverable_ = true;
    else
        transition(ReceiverState::kClosed);
}

// Without the first octet the block may have a red part of which nothing has arrived yet.
bool ReceiverSession::green_may_end(ReceiverPools &pools) const {
    return state_ == ReceiverState::kComplete ||
           (parts_.size() != BlockParts::kUnknown && !parts_.has_red() &&
            received_.contains(pools.intervals, 0, 1));
}

void ReceiverSession::handle_timeout(const LinkTiming &timing, const ReceiverLimits &limits,
                                     TimePoint at, ReceiveMemory &memory, ReceiverPools &pools) {
    const TimePoint unanswered = at - timing.answer_within();
    if (state_ == ReceiverState::kClosed) return;
    if (state_ == ReceiverState::kCancelling) {
        if (cancel_due_ || cancel_sent_ > unanswered) return;
        // RFC 5326 section 6.16.
        if (cancel_sends_ > limits.retries) return close(memory, pools);
        cancel_due_ = true;
        return;
    }
    const bool stalled = is_incomplete() && progressed_ + limits.progress <= at;
    if (stalled || (!deliverable_ && received_at_ + timing.margin <= at)) give_up_green(pools);
    if (state_ == ReceiverState::kClosed) return;
    if (stalled && is_incomplete()) return cancel(CancelReason::kSystemCancelled, memory, pools);
    if (held_too_long(at)) ask_for_patience(limits, at, pools);
    reports_.issue_deferred(received_, limits, at, pools);
    const ReportProgress progress = reports_.repeat(limits, unanswered, pools);
    if (progress == ReportProgress::kExceeded)
        return cancel(CancelReason::kRetransmitLimit, memory, pools);
    const bool pending = progress == ReportProgress::kPending;
    if (pending || received_at_ + limits.silence > at || is_responsible(at)) return;
    if (state_ == ReceiverState::kComplete || !parts_.has_red()) return close(memory, pools);
    cancel(CancelReason::kSystemCancelled, memory, pools);
}

TimePoint ReceiverSession::next_deadline(const LinkTiming &timing, const ReceiverLimits &limits,
                                         ReceiverPools &pools) const {
    if (state_ == ReceiverState::kClosed) return kNever;
    if (state_ == ReceiverState::kCancelling)
        return cancel_due_ ? kNever : cancel_sent_ + timing.answer_within();
    const bool ready_waits = state_ == ReceiverState::kComplete && !queued;
    const TimePoint unasked = is_responsible(received_at_) ? kNever : received_at_ + limits.silence;
    TimePoint deadline =
        reports_.next_deadline(timing.answer_within(), ready_waits ? hold_until_ : kNever, pools)
            .value_or(unasked);
    if (is_incomplete()) deadline = std::min(deadline, progressed_ + limits.progress);
    if (!deliverable_ && green_may_end(pools))
        deadline = std::min(deadline, received_at_ + timing.margin);
    return deadline;
}

// ---- the end

bool ReceiverSession::finished(ReceiverPools &pools) const {
    if (!delivered_) return false;
    if (state_ == ReceiverState::kReceiving) return !parts_.has_red();
    return state_ == ReceiverState::kComplete && closing_sent_ && reports_.all_acknowledged(pools);
}

void ReceiverSession::cancel(CancelReason reason, ReceiveMemory &memory, ReceiverPools &pools) {
    if (state_ >= ReceiverState::kCancelling) return;
    release(memory, pools);
    reason_ = reason;
    transition(ReceiverState::kCancelling);
    cancel_due_ = true;
}

void ReceiverSession::close(ReceiveMemory &memory, ReceiverPools &pools) {
    if (state_ == ReceiverState::kClosed) return;
    release(memory, pools);
    transition(ReceiverState::kClosed);
}

}  // namespace farlink::cla::ltp
