// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/receiver_reports.hpp"

#include <algorithm>

#include "cla/ltp/core/codec/segment.hpp"
#include "cla/ltp/core/session/peer_config.hpp"

namespace farlink::cla::ltp {

void ReceiverReports::clear(ReceiverPools &pools) {
    checkpoints_seen_.clear(pools.intervals);
    reports_.clear(pools.reports);
}

// RFC 5326 section 6.11: the lower bound of the report for a checkpoint.
std::uint64_t ReceiverReports::scope_begin(const DataFields &data, ReceiverPools &pools) {
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

bool ReceiverReports::handle_checkpoint(const DataFields &data, const IntervalList &received,
                                        const ReceiverLimits &limits, TimePoint at,
                                        ReceiverPools &pools) {
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
    // RFC 5326 section 3.2.2: a report has at least one claim. Section 6.11: a lower bound of 0 is
    // always allowed.
    if (!received.next_part(pools.intervals, report.scope.begin, report.scope.end))
        report.scope.begin = 0;
    if (!received.next_part(pools.intervals, report.scope.begin, report.scope.end)) return true;
    const bool gaps =
        received.next_gap(pools.intervals, report.scope.begin, report.scope.end).has_value();
    if (gaps && limits.report_delay > Duration::zero()) {
        report.since = at + limits.report_delay;
        reports_.push_back(pools.reports, report);
        return true;
    }
    issue(report, received, limits, pools);
    return !too_many_gap_reports(limits);
}

// Unacknowledged reports are limited: each takes memory, and is visited when another one is sent.
bool ReceiverReports::too_many_open(const ReceiverLimits &limits, ReceiverPools &pools) const {
    const std::uint64_t most = 4 * std::uint64_t{limits.cycles};
    if (last_serial_ + 1 - first_serial_ < most) return false;
    std::uint64_t open = 0;
    reports_.for_each(pools.reports, [&open](const Report &report) {
        if (report.state != ReportState::kAcked) ++open;
    });
    return open >= most;
}

// RFC 5326 section 6.11: the limit of reception problems. A report without gaps does not count.
bool ReceiverReports::too_many_gap_reports(const ReceiverLimits &limits) const {
    return gap_reports_ > most_gap_reports(limits.cycles, limits.retries, primary_);
}

// As many segments as the claims need (RFC 5326 section 6.11, the last paragraph).
void ReceiverReports::issue(Report asked, const IntervalList &received,
                            const ReceiverLimits &limits, ReceiverPools &pools) {
    const Interval scope = asked.scope;
    asked.state = ReportState::kReady;
    if (received.next_gap(pools.intervals, scope.begin, scope.end)) ++gap_reports_;
    std::uint64_t lower = scope.begin;
    for (bool more = true; more;) {
        Report report = asked;
        report.serial = ++last_serial_;
        report.scope = {lower, scope.end};
        const ReportFields fields{report.serial, report.checkpoint, scope.end, lower, 0, {}};
        std::size_t bytes = report_fields_bytes(fields, limits.report_bytes);
        std::uint64_t cursor = lower;
        more = false;
        while (const auto part = received.next_part(pools.intervals, cursor, scope.end)) {
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

void ReceiverReports::issue_deferred(const IntervalList &received, const ReceiverLimits &limits,
                                     TimePoint at, ReceiverPools &pools) {
    const auto ripe = [&](const Report &report) {
        return report.state == ReportState::kDeferred &&
               (report.since <= at ||
                !received.next_gap(pools.intervals, report.scope.begin, report.scope.end));
    };
    while (const Report *const found = reports_.find(pools.reports, ripe)) {
        const Report report = *found;
        reports_.remove_if(pools.reports, [&report](const Report &other) {
            return other.state == ReportState::kDeferred && other.checkpoint == report.checkpoint;
        });
        issue(report, received, limits, pools);
    }
}

bool ReceiverReports::handle_ack(std::uint64_t serial, const IntervalList &received,
                                 ReceiverPools &pools) {
    Report *const acked = reports_.find(
        pools.reports, [serial](const Report &report) { return report.serial == serial; });
    if (acked == nullptr || acked->sends == 0)
        return serial <= last_serial_ && serial >= first_serial_;
    acked->state = ReportState::kAcked;
    // A report with gaps is kept, since a checkpoint will refer to its lower bound.
    if (!received.next_gap(pools.intervals, acked->scope.begin, acked->scope.end))
        reports_.remove_if(pools.reports,
                           [serial](const Report &report) { return report.serial == serial; });
    return true;
}

ReportProgress ReceiverReports::repeat(const ReceiverLimits &limits, TimePoint unanswered,
                                       ReceiverPools &pools) {
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
    if (exceeded) return ReportProgress::kExceeded;
    return pending ? ReportProgress::kPending : ReportProgress::kAcknowledged;
}

std::optional<TimePoint> ReceiverReports::next_deadline(Duration answer_within, TimePoint ready_due,
                                                        ReceiverPools &pools) const {
    TimePoint deadline = kNever;
    bool pending = false;
    reports_.for_each(pools.reports, [&](const Report &report) {
        pending = pending || report.state != ReportState::kAcked;
        if (report.state == ReportState::kDeferred) deadline = std::min(deadline, report.since);
        if (report.state == ReportState::kSent)
            deadline = std::min(deadline, report.since + answer_within);
        if (report.state == ReportState::kReady) deadline = std::min(deadline, ready_due);
    });
    return pending ? std::optional(deadline) : std::nullopt;
}

void ReceiverReports::withhold(Interval octets, ReceiverPools &pools) {
    reports_.for_each(pools.reports, [octets](Report &report) {
        if (report.state != ReportState::kReady) return;
        // RFC 5326 section 6.11: a lower bound of 0 is always allowed.
        if (report.scope == octets) report.scope.begin = 0;
        report.partial = true;
    });
}

Report *ReceiverReports::find_ready(bool held, ReceiverPools &pools) const {
    return reports_.find(pools.reports, [held](const Report &report) {
        return report.state == ReportState::kReady && (report.partial || !held);
    });
}

Report *ReceiverReports::poll(bool held, TimePoint at, ReceiverPools &pools) {
    Report *const ready = find_ready(held, pools);
    if (ready == nullptr) return nullptr;
    ready->partial = held;
    ready->state = ReportState::kSent;
    ready->since = at;
    ++ready->sends;
    return ready;
}

bool ReceiverReports::all_acknowledged(ReceiverPools &pools) const {
    return reports_.find(pools.reports, [](const Report &report) {
        return report.state != ReportState::kAcked;
    }) == nullptr;
}

}  // namespace farlink::cla::ltp
