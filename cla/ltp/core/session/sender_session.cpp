// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/sender_session.hpp"

#include <algorithm>
#include <utility>

#include "cla/ltp/core/session/peer_config.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla::ltp {
namespace {

/// The limit of intervals: more than the claims of any report.
constexpr std::uint32_t kMostIntervals = 1U << 20;
/// Reports of one receiver that may be lost between two that arrive: a report with many gaps is
/// split, and a short outage takes all of them. Each receiver begins with a random number (30 bits
/// or more at farlink nodes), so a report of another receiver is rarely within this distance.
constexpr std::uint64_t kMissingReports = 1024;
constexpr std::uint64_t kMissingOfEachCheckpoint = 16;

/// Whether the report claims all octets before `end`. A report on a session that has ended at the
/// receiver does so, whatever its number.
bool claims_up_to(const ReportFields &report, std::uint64_t end) {
    std::uint64_t claimed = 0;
    ClaimReader claims(report);
    for (auto claim = claims.next(); claim && claim->begin <= claimed; claim = claims.next())
        claimed = std::max(claimed, claim->end);
    return claimed >= end;
}

}  // namespace

void SenderSession::transition(SenderState to) {
    const bool allowed = (to == SenderState::kSending && state_ == SenderState::kClosed) ||
                         (to == SenderState::kWaiting && state_ == SenderState::kSending) ||
                         (to == SenderState::kCancelling && state_ < SenderState::kCancelling) ||
                         (to == SenderState::kClosed && state_ != SenderState::kClosed);
    FARLINK_INVARIANT(allowed);
    state_ = to;
}

void SenderSession::start(const Start &start, OutBlock block, std::uint64_t following) {
    start_ = start;
    block_ = block;
    here_to_ = block.end();
    size_ = here_to_ + following;
    FARLINK_INVARIANT(start.red_size <= size_ && block.size() > 0);
    last_serial_ = start.first_serial - 1;
    transition(SenderState::kSending);
}

void SenderSession::release(SenderPools &pools) {
    forget_progress(pools);
    block_.release(pools.memory);
    parts_.for_each(pools.parts, [&pools](OutBlock &part) { part.release(pools.memory); });
    parts_.clear(pools.parts);
}

// ---- the parts of a large block

void SenderSession::add_part(OutBlock part, SenderPools &pools) {
    FARLINK_INVARIANT(part.size() > 0 && part.end() - part.size() == here_to_);
    FARLINK_INVARIANT(part.end() <= size_);
    here_to_ = part.end();
    if (block_.size() == 0)
        block_ = part;
    else
        parts_.push_back(pools.parts, part);
}

const OutBlock &SenderSession::block_at(std::uint64_t offset, SenderPools &pools) const {
    if (offset < block_.end()) [[likely]]
        return block_;
    const OutBlock *const part =
        parts_.find(pools.parts, [offset](const OutBlock &each) { return offset < each.end(); });
    FARLINK_INVARIANT(part != nullptr);
    return *part;
}

bool SenderSession::has_delivered_part(SenderPools &pools) const {
    return block_.end() < size_ && block_.size() > 0 &&
           acknowledged_.contains(pools.intervals, 0, block_.end());
}

// A checkpoint in octets that the peer has needs no answer, and could not be sent again.
OutBlock SenderSession::take_block(SenderPools &pools) {
    const OutBlock taken = std::exchange(block_, OutBlock{});
    if (taken.size() == 0) return taken;
    released_ = taken.end();
    ++start_.token;
    checkpoints_.remove_if(pools.checkpoints, [this](const Checkpoint &checkpoint) {
        return checkpoint.segment.end <= released_;
    });
    if (parts_.empty()) return taken;
    block_ = pools.parts[parts_.head()].value;
    parts_.pop_front(pools.parts);
    return taken;
}

void SenderSession::forget_progress(SenderPools &pools) {
    acknowledged_.clear(pools.intervals);
    reports_seen_.clear(pools.intervals);
    checkpoints_.clear(pools.checkpoints);
    repairs_.clear(pools.repairs);
    checkpoint_due_ = false;
    stalled_since_ = kNever;
}

// ---- what to send

bool SenderSession::wants_to_send(TimePoint at, SenderPools &pools) const {
    switch (state_) {
        case SenderState::kClosed:
            return false;
        case SenderState::kCancelling:
            return cancel_due_;
        case SenderState::kSending:
        case SenderState::kWaiting:
            return checkpoint_due_ ||
                   (!repairs_.empty() && pools.repairs[repairs_.head()].value.due <= at);
    }
    return false;
}

// Octets of data that fit a segment at this offset. The length field has its largest size.
std::uint64_t SenderSession::room(const Frame &frame, std::uint64_t offset,
                                  const Checkpoint *checkpoint) const {
    std::size_t fields = codec::sdnv_size(start_.service) + codec::sdnv_size(offset);
    if (checkpoint != nullptr)
        fields +=
            codec::sdnv_size(checkpoint->serial) + codec::sdnv_size(checkpoint->report_serial);
    const std::uint64_t left = frame.total - frame.overhead - fields;
    return left - codec::sdnv_size(left);
}

SegmentPlan SenderSession::plan_data(SegmentType type, Interval octets) const {
    SegmentPlan plan;
    plan.type = type;
    plan.fields.service = start_.service;
    plan.fields.offset = octets.begin;
    plan.size = octets.size();
    return plan;
}

SegmentPlan SenderSession::plan_again(const Checkpoint &checkpoint) const {
    SegmentPlan plan = plan_data(checkpoint.type, checkpoint.segment);
    plan.fields.checkpoint_serial = checkpoint.serial;
    plan.fields.report_serial = checkpoint.report_serial;
    return plan;
}

// A segment with the last octet of the red part or the block says so, in repairs, too: a receiver
// that has all octets only from repairs must know the end.
SegmentType SenderSession::checkpoint_type(std::uint64_t end) const {
    if (end != start_.red_size) return SegmentType::kCheckpoint;
    return end == size_ ? SegmentType::kEndOfRedBlock : SegmentType::kEndOfRed;
}

// RFC 5326 section 6.2: its timer starts now.
SegmentPlan SenderSession::plan_checkpoint(Checkpoint checkpoint, TimePoint at,
                                           SenderPools &pools) {
    checkpoint.type = checkpoint_type(checkpoint.segment.end);
    last_serial_ = checkpoint.serial;
    checkpoint.sent = at;
    checkpoint.sends = 1;
    checkpoints_.push_back(pools.checkpoints, checkpoint);
    return plan_again(checkpoint);
}

SegmentPlan SenderSession::plan_green(const Frame &frame) {
    const std::uint64_t left = size_ - next_;
    const Interval octets{next_, next_ + std::min(left, room(frame, next_, nullptr))};
    next_ = octets.end;
    return plan_data(sent_once() ? SegmentType::kEndOfGreenBlock : SegmentType::kGreen, octets);
}

// RFC 5326 section 4.1: no segment has red and green data; the last red segment is a checkpoint, as
// is the last segment of each part, since the next part may wait for its report.
SegmentPlan SenderSession::plan_first(const Frame &frame, const SenderLimits &limits, TimePoint at,
                                      SenderPools &pools) {
    if (next_ >= start_.red_size) return plan_green(frame);
    Checkpoint checkpoint;
    checkpoint.serial = last_serial_ + 1;
    checkpoint.scope = last_scope_;
    const std::uint64_t left = std::min(start_.red_size, block_at(next_, pools).end()) - next_;
    std::uint64_t size = std::min(left, room(frame, next_, nullptr));
    ++since_checkpoint_;
    bool asks = limits.checkpoint_every != 0 && since_checkpoint_ >= limits.checkpoint_every;
    if (asks || size == left) {
        size = std::min(left, room(frame, next_, &checkpoint));
        // Data that fit only without a checkpoint's fields are sent in two segments.
        asks = asks || size == left;
    }
    const Interval octets{next_, next_ + size};
    next_ = octets.end;
    if (!asks) return plan_data(SegmentType::kRed, octets);
    since_checkpoint_ = 0;
    if (next_ != start_.red_size) ++discretionary_;
    checkpoint.segment = octets;
    last_scope_ = octets.end;
    return plan_checkpoint(checkpoint, at, pools);
}

// RFC 5326 section 6.13: sends exactly the gaps; only the last segment is a checkpoint.
std::optional<SegmentPlan> SenderSession::plan_repair(const Frame &frame, TimePoint at,
                                                      SenderPools &pools) {
    while (!repairs_.empty()) {
        Repair &repair = pools.repairs[repairs_.head()].value;
        if (repair.due > at) return std::nullopt;
        Checkpoint checkpoint;
        checkpoint.serial = last_serial_ + 1;
        checkpoint.report_serial = repair.report_serial;
        auto gap = acknowledged_.next_gap(pools.intervals, repair.cursor, repair.scope.end);
        if (!gap) {
            // Other reports have claimed the rest. The repair still needs its checkpoint.
            const bool open =
                repair.last.size() > 0 &&
                !acknowledged_.contains(pools.intervals, repair.scope.begin, repair.scope.end);
            checkpoint.segment = repair.last;
            const std::uint64_t repair_end = repair.last.end;
            repairs_.pop_front(pools.repairs);
            if (!open) continue;
            // The segment's end must stay, since the report's scope ends there.
            const std::uint64_t most = room(frame, repair_end, &checkpoint);
            if (checkpoint.segment.size() > most) checkpoint.segment.begin = repair_end - most;
            return plan_checkpoint(checkpoint, at, pools);
        }
        gap->end = std::min(gap->end, block_at(gap->begin, pools).end());
        std::uint64_t size = std::min(gap->size(), room(frame, gap->begin, nullptr));
        bool last = size == gap->size() &&
                    !acknowledged_.next_gap(pools.intervals, gap->end, repair.scope.end);
        if (last) {
            size = std::min(gap->size(), room(frame, gap->begin, &checkpoint));
            last = size == gap->size();
        }
        const Interval octets{gap->begin, gap->begin + size};
        if (!last) {
            repair.cursor = octets.end;
            repair.last = octets;
            return plan_data(SegmentType::kRed, octets);
        }
        checkpoint.segment = octets;
        repairs_.pop_front(pools.repairs);
        return plan_checkpoint(checkpoint, at, pools);
    }
    return std::nullopt;
}

std::optional<SegmentPlan> SenderSession::plan_urgent(const Frame &frame, TimePoint at,
                                                      SenderPools &pools) {
    if (state_ == SenderState::kClosed) return std::nullopt;
    if (state_ == SenderState::kCancelling) {
        if (!cancel_due_) return std::nullopt;
        cancel_due_ = false;
        cancel_sent_ = at;
        ++cancel_sends_;
        SegmentPlan cancel;
        cancel.type = SegmentType::kCancelBySender;
        cancel.reason = reason_;
        return cancel;
    }
    if (checkpoint_due_) {
        Checkpoint *const due = checkpoints_.find(
            pools.checkpoints, [](const Checkpoint &checkpoint) { return checkpoint.due; });
        if (due != nullptr) {
            due->due = false;
            due->sent = at;
            ++due->sends;
            return plan_again(*due);
        }
        checkpoint_due_ = false;
    }
    const auto repair = plan_repair(frame, at, pools);
    // Other reports may have claimed all of the repair's octets.
    if (!repair) watch(at, pools);
    return repair;
}

SegmentPlan SenderSession::plan_next(const Frame &frame, const SenderLimits &limits, TimePoint at,
                                     SenderPools &pools) {
    const SegmentPlan first = plan_first(frame, limits, at, pools);
    if (sent_once()) {
        // RFC 5326 section 6.12: all was sent, and the red part may be acknowledged already.
        transition(SenderState::kWaiting);
        if (acknowledged(pools)) close_delivered(pools);
        watch(at, pools);
    }
    return first;
}

// ---- reports

// A report answers its checkpoint, and earlier ones whose scope it covers: a peer need not report
// on checkpoints that were overtaken (RFC 5326 section 6.11).
void SenderSession::drop_answered(const ReportFields &report, SenderPools &pools) {
    checkpoints_.remove_if(pools.checkpoints, [&report](const Checkpoint &checkpoint) {
        if (report.checkpoint_serial == 0) return false;
        return checkpoint.serial == report.checkpoint_serial ||
               (checkpoint.report_serial == 0 && checkpoint.scope >= report.lower &&
                checkpoint.segment.end <= report.upper);
    });
}

// RFC 5326 section 3.2.2: the first report of a receiver has a random serial number, and each
// further report the next one. A receiver that has restarted, or that has opened a second session
// for another source address, has numbers in another range.
bool SenderSession::is_of_reporter(std::uint64_t serial) const {
    if (reporter_.size() == 0) return true;
    const std::uint64_t asked = last_serial_ - start_.first_serial + 1;
    const std::uint64_t reach = kMissingOfEachCheckpoint * asked + kMissingReports;
    if (serial < reporter_.begin) return reporter_.begin - serial <= reach;
    return serial < reporter_.end || serial - reporter_.end < reach;
}

// Section 6.12 adds up the claims of all reports. That proves reception only if one receiver has
// made all of them. So the claims of the other receiver are dropped, whichever of the two is older.
// Returns the octets that are to be sent again unless this report claims them: no checkpoint for
// them is open any more.
Interval SenderSession::forget_reporter(const ReportFields &report, SenderPools &pools) {
    Interval scope{0, std::max(report.upper, acknowledged_.last_end(pools.intervals))};
    repairs_.for_each(pools.repairs, [&scope](const Repair &repair) {
        scope.end = std::max(scope.end, repair.scope.end);
    });
    acknowledged_.clear(pools.intervals);
    repairs_.clear(pools.repairs);
    reporter_ = {};
    return scope;
}

TimePoint SenderSession::asked_at(const ReportFields &report, TimePoint otherwise,
                                  SenderPools &pools) const {
    const Checkpoint *const asked =
        checkpoints_.find(pools.checkpoints, [&report](const Checkpoint &checkpoint) {
            return checkpoint.serial == report.checkpoint_serial;
        });
    return asked == nullptr ? otherwise : asked->sent;
}

ReportVerdict SenderSession::handle_report(const ReportFields &report, const SenderLimits &limits,
                                           Duration delay, TimePoint at, SenderPools &pools) {
    // A session that is cancelled or closed keeps no reports.
    if (state_ >= SenderState::kCancelling) return ReportVerdict::kRepeated;
    if (report.upper > std::min(next_, start_.red_size)) return ReportVerdict::kBeyondSent;
    if (report.checkpoint_serial != 0 &&
        (report.checkpoint_serial < start_.first_serial || report.checkpoint_serial > last_serial_))
        return ReportVerdict::kUnknownCheckpoint;
    const std::uint64_t serial = report.report_serial;
    if (reports_seen_.contains(pools.intervals, serial, serial + 1))
        return ReportVerdict::kRepeated;
    if (serial == ~std::uint64_t{0} ||
        !reports_seen_.add(pools.intervals, serial, serial + 1, kMostIntervals))
        return ReportVerdict::kBeyondSent;
    drop_answered(report, pools);
    Interval scope{report.lower, report.upper};
    const bool other_receiver = !is_of_reporter(serial);
    if (other_receiver && released_ > 0) {
        // The octets that the former receiver had were released.
        if (!claims_up_to(report, std::min(report.upper, released_))) {
            cancel(CancelReason::kUserCancelled, pools);
            return ReportVerdict::kTaken;
        }
        if (report.upper <= released_) {  // it says nothing of what is here
            watch(at, pools);
            return ReportVerdict::kTaken;
        }
    }
    if (other_receiver) scope = forget_reporter(report, pools);
    if (reporter_.size() == 0) reporter_ = {serial, serial};
    reporter_ = {std::min(reporter_.begin, serial), std::max(reporter_.end, serial + 1)};
    ClaimReader claims(report);
    // Claims beyond the limit are ignored: their data are sent again.
    while (const auto claim = claims.next())
        static_cast<void>(
            acknowledged_.add(pools.intervals, claim->begin, claim->end, kMostIntervals));
    if (acknowledged(pools)) {
        checkpoints_.clear(pools.checkpoints);
        repairs_.clear(pools.repairs);
        checkpoint_due_ = false;
        if (sent_once()) close_delivered(pools);
        return ReportVerdict::kTaken;
    }
    last_report_ = serial;
    if (acknowledged_.next_gap(pools.intervals, scope.begin, scope.end))
        repair_gaps(scope, at + delay, limits, pools);
    watch(at, pools);
    return ReportVerdict::kTaken;
}

void SenderSession::repair_gaps(Interval scope, TimePoint due, const SenderLimits &limits,
                                SenderPools &pools) {
    // RFC 5326 section 6.22.
    if (++cycles_ > most_gap_reports(limits.cycles, limits.retries, discretionary_))
        return cancel(CancelReason::kCycleLimit, pools);
    Repair repair;
    repair.scope = scope;
    repair.cursor = scope.begin;
    repair.report_serial = last_report_;
    repair.due = due;
    repairs_.push_back(pools.repairs, repair);
}

// A peer may answer all checkpoints and never report on all of the block: the rest is sent again.
void SenderSession::watch(TimePoint at, SenderPools &pools) {
    const bool all_sent =
        state_ == SenderState::kWaiting || (state_ == SenderState::kSending && !has_unsent());
    const std::uint64_t red_sent = std::min(next_, start_.red_size);
    const bool stalled = all_sent && checkpoints_.empty() && repairs_.empty() &&
                         !acknowledged_.contains(pools.intervals, 0, red_sent);
    if (!stalled)
        stalled_since_ = kNever;
    else if (stalled_since_ == kNever)
        stalled_since_ = at;
}

// ---- time

TimePoint SenderSession::handle_timeout(const LinkTiming &timing, const SenderLimits &limits,
                                        TimePoint at, SenderPools &pools) {
    TimePoint overdue = kNever;
    if (state_ == SenderState::kClosed) return overdue;
    const TimePoint unanswered = at - timing.answer_within();
    if (state_ == SenderState::kCancelling) {
        if (cancel_due_ || cancel_sent_ > unanswered) return overdue;
        // RFC 5326 section 6.16.
        if (cancel_sends_ > limits.retries)
            close(pools);
        else
            cancel_due_ = true;
        return overdue;
    }
    bool exceeded = false;
    checkpoints_.for_each(pools.checkpoints, [&](Checkpoint &checkpoint) {
        if (checkpoint.due || checkpoint.sent > unanswered) return;
        // RFC 5326 section 6.7.
        exceeded = exceeded || checkpoint.sends > limits.retries;
        checkpoint.due = checkpoint_due_ = true;
        if (checkpoint.sends == 1) overdue = std::min(overdue, checkpoint.sent);
    });
    if (exceeded) {
        cancel(CancelReason::kRetransmitLimit, pools);
        return overdue;
    }
    if (stalled_since_ <= unanswered) {
        stalled_since_ = kNever;
        repair_gaps({0, std::min(next_, start_.red_size)}, at, limits, pools);
    }
    return overdue;
}

TimePoint SenderSession::next_deadline(const LinkTiming &timing, SenderPools &pools) const {
    if (state_ == SenderState::kClosed) return kNever;
    if (state_ == SenderState::kCancelling)
        return cancel_due_ ? kNever : cancel_sent_ + timing.answer_within();
    TimePoint deadline = kNever;
    checkpoints_.for_each(pools.checkpoints, [&](const Checkpoint &checkpoint) {
        if (!checkpoint.due)
            deadline = std::min(deadline, checkpoint.sent + timing.answer_within());
    });
    if (stalled_since_ != kNever)
        deadline = std::min(deadline, stalled_since_ + timing.answer_within());
    // A queued repair that may begin now needs no timer.
    if (!repairs_.empty() && !queued)
        deadline = std::min(deadline, pools.repairs[repairs_.head()].value.due);
    return deadline;
}

// ---- the end

void SenderSession::cancel(CancelReason reason, SenderPools &pools) {
    if (state_ >= SenderState::kCancelling) return;
    forget_progress(pools);
    reason_ = reason;
    // RFC 5326 section 4.2: nothing was sent, so no cancel segment is.
    if (next_ == 0) return transition(SenderState::kClosed);
    transition(SenderState::kCancelling);
    cancel_due_ = true;
}

void SenderSession::close_delivered(SenderPools &pools) {
    delivered_ = true;
    close(pools);
}

void SenderSession::close(SenderPools &pools) {
    if (state_ == SenderState::kClosed) return;
    forget_progress(pools);
    transition(SenderState::kClosed);
}

}  // namespace farlink::cla::ltp
