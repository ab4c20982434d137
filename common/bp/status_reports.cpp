// SPDX-License-Identifier: Apache-2.0
#include "common/bp/status_reports.hpp"
#include "common/bp/eid/reserved.hpp"

#include "common/bp/base/report_requests.hpp"
#include "common/bp/base/slices.hpp"
#include "common/bp/v6/admin_record_codec.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v6/primary.hpp"
#include "common/bp/v7/admin_record_codec.hpp"
#include "common/bp/v7/builder.hpp"

namespace farlink::bp {
namespace {

constexpr std::uint64_t kNanosecondsPerMs = 1'000'000;

/// The common parts of both kinds of answer: endpoints, and the bundle that caused them.
struct Answer {
    EidView destination;
    EidView source;
    DtnTime now_ms;
    std::uint64_t sequence;
    bool is_admin_record;
    std::uint8_t hop_limit;
};

Bytes build_v7(const Answer &answer, const BundleView &cause, ByteView payload) {
    v7::PrimaryFields primary;
    primary.flags = answer.is_admin_record ? v7::kIsAdminRecord : 0;
    primary.destination = answer.destination;
    primary.source = answer.source;
    primary.creation_time_ms = answer.now_ms;
    primary.sequence = answer.sequence;
    primary.lifetime_ms = cause.lifetime_ms;
    v7::Builder builder(primary);
    // RFC 9171 section 4.4.2: without a clock the bundle needs a bundle age block.
    if (answer.now_ms == 0) builder.add_bundle_age(0);
    if (answer.hop_limit > 0) builder.add_hop_count(answer.hop_limit);
    return std::move(builder).finish(payload);
}

Bytes build_v6(const Answer &answer, const BundleView &cause, ByteView payload) {
    v6::PrimaryFields primary;
    primary.flags = v6::kSingletonDestination | v6::priority_flags(cause.priority) |
                    (answer.is_admin_record ? v6::kIsAdminRecord : 0);
    primary.destination = answer.destination;
    primary.source = answer.source;
    primary.creation_time_s = answer.now_ms / v6::kMsPerSecond;
    primary.sequence = answer.sequence;
    primary.lifetime_s = cause.lifetime_ms / v6::kMsPerSecond;
    v6::Builder builder(primary);
    builder.add_block(v6::kPayloadBlock, 0, payload);
    return std::move(builder).finish();
}

Bytes report_v7(const BundleView &subject, ReportEvent event, ReportReason reason,
                const Answer &answer) {
    v7::StatusReport report;
    auto &item = report.items[static_cast<std::size_t>(event)];
    item.asserted = true;
    if ((subject.flags & v7::kStatusTimeRequested) != 0) item.time_ms = answer.now_ms;
    report.reason = static_cast<std::uint64_t>(reason);
    report.source = Eid(subject.source);
    report.creation_time_ms = subject.creation_time;
    report.sequence = subject.sequence;
    if (subject.is_fragment) report.fragment = {subject.fragment_offset, subject.payload_length};
    return build_v7(answer, subject, v7::encode(report));
}

/// Its flag in RFC 5050 section 6.1.1.
ReportReason reason_v6(ReportReason reason) {
    if (reason == ReportReason::kBlockUnsupported) return ReportReason::kBlockUnintelligible;
    return reason <= ReportReason::kBlockUnintelligible ? reason : ReportReason::kNone;
}

Bytes report_v6(const BundleView &subject, ReportEvent event, ReportReason reason,
                const Answer &answer) {
    // RFC 5050 section 6.1.1: custody acceptance is between reception and forwarding.
    const auto index = event == ReportEvent::kReceived ? 0 : static_cast<std::size_t>(event) + 1;
    v6::StatusReport report;
    report.times[index] = v6::Time{answer.now_ms / v6::kMsPerSecond,
                                   answer.now_ms % v6::kMsPerSecond * kNanosecondsPerMs};
    report.reason = static_cast<std::uint8_t>(reason_v6(reason));
    report.subject = {Eid(subject.source), subject.creation_time, subject.sequence, {}};
    if (subject.is_fragment)
        report.subject.fragment = {subject.fragment_offset, subject.payload_length};
    return build_v6(answer, subject, v6::encode(report));
}

}  // namespace

bool can_report(const BundleView &view) {
    return !view.is_admin_record && !leads_nowhere(view.report_to) &&
           !is_local_node(view.report_to);
}

bool wants_report(const BundleView &view, ReportEvent event) {
    constexpr std::uint8_t kRequests[] = {kReportReception, kReportForwarding, kReportDelivery,
                                          kReportDeletion};
    return can_report(view) && (view.requests & kRequests[static_cast<std::size_t>(event)]) != 0;
}

std::optional<Bytes> make_status_report(const BundleView &subject, ReportEvent event,
                                        ReportReason reason, DtnTime now_ms, std::uint64_t sequence,
                                        const EidView &local, std::uint8_t hop_limit) {
    if (!can_report(subject)) return std::nullopt;
    const Answer answer{subject.report_to, local, now_ms, sequence, true, hop_limit};
    return subject.version == v6::kVersion ? report_v6(subject, event, reason, answer)
                                           : report_v7(subject, event, reason, answer);
}

std::optional<Bytes> make_echo_reply(const BundleView &view, std::span<const ByteView> slices,
                                     DtnTime now_ms, std::uint64_t sequence, const EidView &local,
                                     std::uint8_t hop_limit) {
    if (leads_nowhere(view.source)) return std::nullopt;
    Bytes payload;
    for_each_piece(slices, view.payload_offset, view.payload_offset + view.payload_length,
                   [&](ByteView piece) { append(payload, piece); });
    const Answer answer{view.source, local, now_ms, sequence, false, hop_limit};
    return view.version == v6::kVersion ? build_v6(answer, view, payload)
                                        : build_v7(answer, view, payload);
}

}  // namespace farlink::bp
