// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/receiver_session.hpp"

#include <algorithm>

#include "cla/ltp/core/session/peer_config.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla::ltp {

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
    last_serial_ = start.first_serial - 1;
    begun_ = received_at_ = progressed_ = at;
    transition(ReceiverState::kReceiving);
}

void ReceiverSession::forget_progress(ReceiverPools &pools) {
    received_.clear(pools.intervals);
    checkpoints_seen_.clear(pools.intervals);
    reports_.clear(pools.reports);
}

void ReceiverSession::release(ReceiveMemory &memory, ReceiverPools &pools) {
    forget_progress(pools);
    memory.discard(start_.slot, block_, pools.chunks);
}

// ---- data

DataVerdict ReceiverSession::judge(const Segment &segment, const ReceiverLimits &limits) const {
    const DataFields &data = segment.data;
    const std::uint64_t end = data.end();
    const std::uint64_t known = red_known_ == kUnknown ? red_end_ : red_known_;
    // RFC 5326 section 6.21: all red data lie before all green data.
    if (is_red(segment.type) ? end > green_begin_ : data.offset < known)
        return DataVerdict::kMiscoloured;
    if (end > limits.block_bytes) return DataVerdict::kTooLarge;
    if (data.service != start_.service || end > size_) return DataVerdict::kContradictory;
    if (is_red(segment.type) && end > red_known_) return DataVerdict::kContradictory;
    if (ends_red(segment.type) && (end < red_end_ || (red_known_ != kUnknown && end != red_known_)))
        return DataVerdict::kContradictory;
    if (ends_block(segment.type)) {
        const bool more = is_red(segment.type) && green_begin_ != kUnknown;
        if (more || (size_ != kUnknown && end != size_)) return DataVerdict::kContradictory;
    }
    return DataVerdict::kTaken;
}

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
    if (!memory.reach(start_.slot, block_, pools.chunks, data.offset, end))
        return DataVerdict::kNoMemory;
    fresh_ = {data.offset, end};
    progressed_ = at;
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

void ReceiverSession::note_ends(const Segment &segment) {
    const std::uint64_t end = segment.data.end();
    if (is_red(segment.type))
        red_end_ = std::max(red_end_, end);
    else
        green_begin_ = std::min(green_begin_, segment.data.offset);
    if (ends_red(segment.type)) red_known_ = end;
    if (ends_block(segment.type)) size_ = end;
}

// RFC 5326 sections 6.9 and 6.10.
void ReceiverSession::note_progress(const ReceiverLimits &limits, TimePoint at,
                                    ReceiverPools &pools) {
    if (state_ == ReceiverState::kReceiving && red_known_ != kUnknown &&
        received_.contains(pools.intervals, 0, red_known_)) {
        transition(ReceiverState::kComplete);
        hold_until_ = at + limits.hold;
        holding_ = limits.hold > Duration{};
    }
    if (deliverable_ || size_ == kUnknown || size_ == 0) return;
    const bool red_here = state_ == ReceiverState::kComplete || red_end_ == 0;
    if (red_here && received_.contains(pools.intervals, 0, size_)) deliverable_ = whole_ = true;
}

DataVerdict ReceiverSession::handle_data(const Segment &segment, const ReceiverLimits &limits,
                                         TimePoint at, ReceiveMemory &memory,
                                         ReceiverPools &pools) {
    if (state_ >= ReceiverState::kCancelling) return DataVerdict::kDuplicate;
    received_at_ = at;
    if (const DataVerdict verdict = judge(segment, limits); verdict != DataVerdict::kTaken)
        return verdict;
    const DataVerdict verdict = store(segment.data, limits, at, memory, pools);
    if (verdict != DataVerdict::kTaken && verdict != DataVerdict::kDuplicate) return verdict;
    // Data in the middle of a block change nothing else while no report is open.
    const bool plain = segment.type == SegmentType::kRed && red_known_ == kUnknown;
    if (plain && reports_.empty()) {
        red_end_ = std::max(red_end_, segment.data.end());
        return verdict;
    }
    changed_ = true;
    note_ends(segment);
    note_progress(limits, at, pools);
    if (!reports_.empty()) issue_deferred(limits, TimePoint::min(), pools);
    if (is_checkpoint(segment.type) && !handle_checkpoint(segment.data, limits, at, pools))
        cancel(CancelReason::kRetransmitLimit, memory, pools);
    return verdict;
}

// ---- reports

// RFC 5326 section 6.11: the lower bound of the report for a checkpoint.
std::uint64_t ReceiverSession::scope_begin(const DataFields &data, ReceiverPools &pools) {
    if (data.report_serial == 0) {
        const std::uint64_t begin = primary_end_;
        primary_end_ = std::max(primary_end_, data.end());
        // A checkpoint that was overtaken is answered, too: its sender repeats it until then.
        return begin < data.end() ? begin : 0;
    }
    const auto answers = [&data](const Report &report) {
        return report.serial == data.report_serial;
    };
    const Report *const answered = reports_.find(pools.reports, answers);
    if (answered == nullptr) return 0;
    const std::uint64_t begin = answered->scope.begin;
    if (answered->state == ReportState::kAcked) reports_.remove_if(pools.reports, answers);
    return begin < data.end() ? begin : 0;
}

bool ReceiverSession::handle_checkpoint(const DataFields &data, const ReceiverLimits &limits,
                                        TimePoint at, ReceiverPools &pools) {
    const std::uint64_t serial = data.checkpoint_serial;
    if (serial == ~std::uint64_t{0}) return true;
    if (checkpoints_seen_.contains(pools.intervals, serial, serial + 1)) {
        // RFC 5326 section 6.8 (b): the report was lost.
        reports_.for_each(pools.reports, [serial](Report &report) {
            if (report.checkpoint == serial && report.state == ReportState::kSent)
                report.state = ReportState::kReady;
        });
        return true;
    }
    // The peer repeats a checkpoint that is not answered now.
    if (too_many_open(limits, pools) ||
        !checkpoints_seen_.add(pools.intervals, serial, serial + 1, limits.gaps))
        return true;
    if (data.report_serial == 0) ++primary_;
    Report report;
    report.checkpoint = serial;
    report.scope = {scope_begin(data, pools), data.end()};
    if (report.scope.begin >= report.scope.end) return true;
    const bool gaps =
        received_.next_gap(pools.intervals, report.scope.begin, report.scope.end).has_value();
    if (gaps && limits.report_delay > Duration::zero()) {
        report.since = at + limits.report_delay;
        reports_.push_back(pools.reports, report);
        return true;
    }
    // RFC 5326 section 3.2.2: a report has at least one claim.
    if (!received_.next_part(pools.intervals, report.scope.begin, report.scope.end)) return true;
    issue(report, limits, pools);
    return !too_many_gap_reports(limits);
}

// Unacknowledged reports are limited: each takes memory, and is visited when another one is sent.
bool ReceiverSession::too_many_open(const ReceiverLimits &limits, ReceiverPools &pools) const {
    const std::uint64_t most = 4 * std::uint64_t{limits.cycles};
    if (last_serial_ + 1 - start_.first_serial < most) return false;
    std::uint64_t open = 0;
    reports_.for_each(pools.reports, [&open](const Report &report) {
        if (report.state != ReportState::kAcked) ++open;
    });
    return open >= most;
}

// RFC 5326 section 6.11: the limit of reception problems. A report without gaps does not count.
bool ReceiverSession::too_many_gap_reports(const ReceiverLimits &limits) const {
    return gap_reports_ > most_gap_reports(limits.cycles, limits.retries, primary_);
}

// As many segments as the claims need (RFC 5326 section 6.11, the last paragraph).
void ReceiverSession::issue(Report asked, const ReceiverLimits &limits, ReceiverPools &pools) {
    const Interval scope = asked.scope;
    asked.state = ReportState::kReady;
    if (received_.next_gap(pools.intervals, scope.begin, scope.end)) ++gap_reports_;
    std::uint64_t lower = scope.begin;
    for (bool more = true; more;) {
        Report report = asked;
        report.serial = ++last_serial_;
        report.scope = {lower, scope.end};
        const ReportFields fields{report.serial, report.checkpoint, scope.end, lower, 0, {}};
        std::size_t bytes = report_fields_bytes(fields, limits.report_bytes);
        std::uint64_t cursor = lower;
        more = false;
        while (const auto part = received_.next_part(pools.intervals, cursor, scope.end)) {
            bytes += claim_bytes(*part, lower);
            more = bytes > limits.report_bytes && cursor > lower;
            if (more) {
                report.scope.end = lower = part->begin;
                break;
            }
            cursor = part->end;
        }
        reports_.push_back(pools.reports, report);
    }
}

// Issues deferred reports that are due, and those whose gaps are closed.
void ReceiverSession::issue_deferred(const ReceiverLimits &limits, TimePoint at,
                                     ReceiverPools &pools) {
    const auto ripe = [&](const Report &report) {
        return report.state == ReportState::kDeferred &&
               (report.since <= at ||
                !received_.next_gap(pools.intervals, report.scope.begin, report.scope.end));
    };
    while (const Report *const found = reports_.find(pools.reports, ripe)) {
        const Report report = *found;
        reports_.remove_if(pools.reports, [&report](const Report &other) {
            return other.state == ReportState::kDeferred && other.checkpoint == report.checkpoint;
        });
        issue(report, limits, pools);
    }
}

bool ReceiverSession::handle_report_ack(std::uint64_t serial, ReceiverPools &pools) {
    Report *const acked = reports_.find(
        pools.reports, [serial](const Report &report) { return report.serial == serial; });
    if (acked == nullptr || acked->sends == 0)
        return serial <= last_serial_ && serial >= start_.first_serial;
    acked->state = ReportState::kAcked;
    // A report with gaps is kept, since a checkpoint will refer to its lower bound.
    if (!received_.next_gap(pools.intervals, acked->scope.begin, acked->scope.end))
        reports_.remove_if(pools.reports,
                           [serial](const Report &report) { return report.serial == serial; });
    return true;
}

bool ReceiverSession::wants_to_send(TimePoint at, ReceiverPools &pools) const {
    if (state_ == ReceiverState::kCancelling) return cancel_due_;
    if (reports_.empty() || state_ == ReceiverState::kClosed) return false;
    return find_ready(at, pools) != nullptr;
}

Report *ReceiverSession::find_ready(TimePoint at, ReceiverPools &pools) const {
    const bool held = holds(at);
    return reports_.find(pools.reports, [held](const Report &report) {
        return report.state == ReportState::kReady && (report.partial || !held);
    });
}

// The sender must not give up a block that was delivered here and is not safe yet. A report that
// claims all octets but one makes it send a new checkpoint, with all of its retries. That octet
// arrived last, so no earlier report has claimed it, and the block stays unacknowledged.
void ReceiverSession::ask_for_patience(const ReceiverLimits &limits, TimePoint at,
                                       ReceiverPools &pools) {
    hold_until_ = at + limits.hold;
    const Interval withheld{fresh_.end - 1, fresh_.end};
    if (withheld == Interval{0, 1}) return;  // nothing would be claimed
    reports_.for_each(pools.reports, [withheld](Report &report) {
        if (report.state != ReportState::kReady) return;
        // RFC 5326 section 6.11: a lower bound of 0 is always allowed.
        if (report.scope == withheld) report.scope.begin = 0;
        report.partial = true;
    });
}

const Report *ReceiverSession::poll_report(TimePoint at, ReceiverPools &pools) {
    if (state_ >= ReceiverState::kCancelling) return nullptr;
    Report *const ready = find_ready(at, pools);
    if (ready == nullptr) return nullptr;
    ready->partial = holds(at);
    ready->state = ReportState::kSent;
    ready->since = at;
    ++ready->sends;
    if (ready->partial) return ready;
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
           (size_ != kUnknown && red_end_ == 0 && received_.contains(pools.intervals, 0, 1));
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
    issue_deferred(limits, at, pools);
    bool exceeded = too_many_gap_reports(limits);
    bool pending = false;
    reports_.for_each(pools.reports, [&](Report &report) {
        pending = pending || report.state != ReportState::kAcked;
        if (report.state != ReportState::kSent || report.since > unanswered) return;
        const bool once_more = report.sends <= limits.retries;
        report.state = once_more || !report.partial ? ReportState::kReady : ReportState::kAcked;
        // RFC 5326 section 6.8 (a).
        exceeded = exceeded || !(once_more || report.partial);
    });
    if (exceeded) return cancel(CancelReason::kRetransmitLimit, memory, pools);
    if (pending || received_at_ + limits.silence > at || is_responsible(at)) return;
    if (state_ == ReceiverState::kComplete || red_end_ == 0) return close(memory, pools);
    cancel(CancelReason::kSystemCancelled, memory, pools);
}

TimePoint ReceiverSession::next_deadline(const LinkTiming &timing, const ReceiverLimits &limits,
                                         ReceiverPools &pools) const {
    if (state_ == ReceiverState::kClosed) return kNever;
    if (state_ == ReceiverState::kCancelling)
        return cancel_due_ ? kNever : cancel_sent_ + timing.answer_within();
    TimePoint deadline = kNever;
    bool pending = false;
    reports_.for_each(pools.reports, [&](const Report &report) {
        pending = pending || report.state != ReportState::kAcked;
        if (report.state == ReportState::kDeferred) deadline = std::min(deadline, report.since);
        if (report.state == ReportState::kSent)
            deadline = std::min(deadline, report.since + timing.answer_within());
        if (report.state == ReportState::kReady && state_ == ReceiverState::kComplete && !queued)
            deadline = std::min(deadline, hold_until_);
    });
    if (!pending) deadline = is_responsible(received_at_) ? kNever : received_at_ + limits.silence;
    if (is_incomplete()) deadline = std::min(deadline, progressed_ + limits.progress);
    if (!deliverable_ && green_may_end(pools))
        deadline = std::min(deadline, received_at_ + timing.margin);
    return deadline;
}

std::uint64_t ReceiverSession::pace(TimePoint at) const {
    const auto passed = std::chrono::duration_cast<milliseconds>(age(at)).count();
    return block_.arrived * 1000 / static_cast<std::uint64_t>(std::max<std::int64_t>(passed, 1));
}

// ---- the end

bool ReceiverSession::finished(ReceiverPools &pools) const {
    if (!delivered_) return false;
    if (state_ == ReceiverState::kReceiving) return red_end_ == 0;
    return state_ == ReceiverState::kComplete && closing_sent_ &&
           reports_.find(pools.reports, [](const Report &report) {
               return report.state != ReportState::kAcked;
           }) == nullptr;
}

void ReceiverSession::cancel(CancelReason reason, ReceiveMemory &memory, ReceiverPools &pools) {
    if (state_ >= ReceiverState::kCancelling) return;
    forget_progress(pools);
    memory.discard(start_.slot, block_, pools.chunks);
    reason_ = reason;
    transition(ReceiverState::kCancelling);
    cancel_due_ = true;
}

void ReceiverSession::close(ReceiveMemory &memory, ReceiverPools &pools) {
    if (state_ == ReceiverState::kClosed) return;
    forget_progress(pools);
    memory.discard(start_.slot, block_, pools.chunks);
    transition(ReceiverState::kClosed);
}

}  // namespace farlink::cla::ltp
