// SPDX-License-Identifier: Apache-2.0
// The counters of an LTP engine: members of the family LinkCounter::kLtp, with their public names.
// A constant table; any thread.
// cla/ltp counts them; new ones go to the end.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "common/telemetry/link_counters.hpp"

namespace farlink::telemetry {

/// Grouped by reason, in the order of cla::ltp::SegmentError and CancelReason: kMalformed...,
/// kBlocksCancelled..., kReceptionsCancelled...
enum class LtpCounter : std::uint8_t {
    kSegmentsSent,
    kBytesSent,
    kBlocksSent,
    kBlocksDelivered,
    kSegmentsRepeated,
    kReportsSent,
    kSegmentsReceived,
    kBytesReceived,
    kBlocksReceived,
    kSessionsOpenedByPeer,
    kReportsReceived,
    kSessionsReordered,
    kUnauthenticated,
    kAuthenticatedWithOtherKey,
    kForged,
    kTrailingOctets,
    kForeignSessions,
    kDuplicates,
    kLate,
    kMiscoloured,
    kContradictory,
    kBlocksTooLarge,
    kTooManyGaps,
    kNoMemory,
    kUnknownService,
    kSessionsRefused,
    kReportsRepeated,
    kReportsUnknownSession,
    kReportsBeyondSent,
    kReportsUnknownCheckpoint,
    kAcksUnknown,
    kCancelsUnknownSession,
    kAnswersDropped,
    kGreenLost,
    kSessionsOutOpen,
    kSessionsInOpen,
    kMalformedTruncated,
    kMalformedVersion,
    kMalformedUndefinedType,
    kMalformedNumber,
    kMalformedBounds,
    kMalformedClaims,
    kBlocksCancelledUsrCncld,
    kBlocksCancelledUnreach,
    kBlocksCancelledRlexc,
    kBlocksCancelledMiscolored,
    kBlocksCancelledSysCncld,
    kBlocksCancelledRxmtcycexc,
    kBlocksCancelledReserved,
    kReceptionsCancelledUsrCncld,
    kReceptionsCancelledUnreach,
    kReceptionsCancelledRlexc,
    kReceptionsCancelledMiscolored,
    kReceptionsCancelledSysCncld,
    kReceptionsCancelledRxmtcycexc,
    kReceptionsCancelledReserved,
    kStrangersRefused,
    kCount_
};

struct LtpCounterInfo {
    LtpCounter counter{};
    std::string_view name;    ///< in the node's log, behind "ltp_"
    std::string_view metric;  ///< metric family, without the prefix "farlink_"
    std::string_view json;    ///< member of `ltp` of a link in the state document
    bool gauge = false;       ///< open sessions; `sessions` of `ltp` is the sum of the gauges
};

inline constexpr std::array<LtpCounterInfo, 57> kLtpCounters{{
    {LtpCounter::kSegmentsSent, "segments_sent", "link_ltp_segments_sent_total", "segmentsSent"},
    {LtpCounter::kBytesSent, "bytes_sent", "link_ltp_bytes_sent_total", "bytesSent"},
    {LtpCounter::kBlocksSent, "blocks_sent", "link_ltp_blocks_sent_total", "blocksSent"},
    {LtpCounter::kBlocksDelivered, "blocks_delivered", "link_ltp_blocks_delivered_total",
     "blocksDelivered"},
    {LtpCounter::kSegmentsRepeated, "segments_repeated", "link_ltp_segments_repeated_total",
     "retransmittedSegments"},
    {LtpCounter::kReportsSent, "reports_sent", "link_ltp_reports_sent_total", "reportsSent"},
    {LtpCounter::kSegmentsReceived, "segments_received", "link_ltp_segments_received_total",
     "segmentsReceived"},
    {LtpCounter::kBytesReceived, "bytes_received", "link_ltp_bytes_received_total",
     "bytesReceived"},
    {LtpCounter::kBlocksReceived, "blocks_received", "link_ltp_blocks_received_total",
     "blocksReceived"},
    {LtpCounter::kSessionsOpenedByPeer, "sessions_opened_by_peer",
     "link_ltp_sessions_opened_by_peer_total", "sessionsOpenedByPeer"},
    {LtpCounter::kReportsReceived, "reports_received", "link_ltp_reports_received_total",
     "reportsReceived"},
    {LtpCounter::kSessionsReordered, "sessions_reordered", "link_ltp_sessions_reordered_total",
     "sessionsReordered"},
    {LtpCounter::kUnauthenticated, "unauthenticated", "link_ltp_unauthenticated_total",
     "unauthenticated"},
    {LtpCounter::kAuthenticatedWithOtherKey, "authenticated_with_other_key",
     "link_ltp_authenticated_with_other_key_total", "authenticatedWithOtherKey"},
    {LtpCounter::kForged, "forged", "link_ltp_forged_total", "forged"},
    {LtpCounter::kTrailingOctets, "trailing_octets", "link_ltp_trailing_octets_total",
     "trailingOctets"},
    {LtpCounter::kForeignSessions, "foreign_sessions", "link_ltp_foreign_sessions_total",
     "foreignSessions"},
    {LtpCounter::kDuplicates, "duplicates", "link_ltp_duplicates_total", "duplicates"},
    {LtpCounter::kLate, "late", "link_ltp_late_total", "late"},
    {LtpCounter::kMiscoloured, "miscoloured", "link_ltp_miscoloured_total", "miscoloured"},
    {LtpCounter::kContradictory, "contradictory", "link_ltp_contradictory_total", "contradictory"},
    {LtpCounter::kBlocksTooLarge, "blocks_too_large", "link_ltp_blocks_too_large_total",
     "blocksTooLarge"},
    {LtpCounter::kTooManyGaps, "too_many_gaps", "link_ltp_too_many_gaps_total", "tooManyGaps"},
    {LtpCounter::kNoMemory, "no_memory", "link_ltp_no_memory_total", "noMemory"},
    {LtpCounter::kUnknownService, "unknown_service", "link_ltp_unknown_service_total",
     "unknownService"},
    {LtpCounter::kSessionsRefused, "sessions_refused", "link_ltp_sessions_refused_total",
     "sessionsRefused"},
    {LtpCounter::kReportsRepeated, "reports_repeated", "link_ltp_reports_repeated_total",
     "reportsRepeated"},
    {LtpCounter::kReportsUnknownSession, "reports_unknown_session",
     "link_ltp_reports_unknown_session_total", "reportsUnknownSession"},
    {LtpCounter::kReportsBeyondSent, "reports_beyond_sent", "link_ltp_reports_beyond_sent_total",
     "reportsBeyondSent"},
    {LtpCounter::kReportsUnknownCheckpoint, "reports_unknown_checkpoint",
     "link_ltp_reports_unknown_checkpoint_total", "reportsUnknownCheckpoint"},
    {LtpCounter::kAcksUnknown, "acks_unknown", "link_ltp_acks_unknown_total", "acksUnknown"},
    {LtpCounter::kCancelsUnknownSession, "cancels_unknown_session",
     "link_ltp_cancels_unknown_session_total", "cancelsUnknownSession"},
    {LtpCounter::kAnswersDropped, "answers_dropped", "link_ltp_answers_dropped_total",
     "answersDropped"},
    {LtpCounter::kGreenLost, "green_lost", "link_ltp_green_lost_total", "greenLost"},
    {LtpCounter::kSessionsOutOpen, "sessions_out_open", "link_ltp_sessions_out_open",
     "sessionsOutOpen", true},
    {LtpCounter::kSessionsInOpen, "sessions_in_open", "link_ltp_sessions_in_open", "sessionsInOpen",
     true},
    {LtpCounter::kMalformedTruncated, "malformed_truncated", "link_ltp_malformed_truncated_total",
     "malformedTruncated"},
    {LtpCounter::kMalformedVersion, "malformed_version", "link_ltp_malformed_version_total",
     "malformedVersion"},
    {LtpCounter::kMalformedUndefinedType, "malformed_undefined_type",
     "link_ltp_malformed_undefined_type_total", "malformedUndefinedType"},
    {LtpCounter::kMalformedNumber, "malformed_number", "link_ltp_malformed_number_total",
     "malformedNumber"},
    {LtpCounter::kMalformedBounds, "malformed_bounds", "link_ltp_malformed_bounds_total",
     "malformedBounds"},
    {LtpCounter::kMalformedClaims, "malformed_claims", "link_ltp_malformed_claims_total",
     "malformedClaims"},
    {LtpCounter::kBlocksCancelledUsrCncld, "blocks_cancelled_usr_cncld",
     "link_ltp_blocks_cancelled_usr_cncld_total", "blocksCancelledUsrCncld"},
    {LtpCounter::kBlocksCancelledUnreach, "blocks_cancelled_unreach",
     "link_ltp_blocks_cancelled_unreach_total", "blocksCancelledUnreach"},
    {LtpCounter::kBlocksCancelledRlexc, "blocks_cancelled_rlexc",
     "link_ltp_blocks_cancelled_rlexc_total", "blocksCancelledRlexc"},
    {LtpCounter::kBlocksCancelledMiscolored, "blocks_cancelled_miscolored",
     "link_ltp_blocks_cancelled_miscolored_total", "blocksCancelledMiscolored"},
    {LtpCounter::kBlocksCancelledSysCncld, "blocks_cancelled_sys_cncld",
     "link_ltp_blocks_cancelled_sys_cncld_total", "blocksCancelledSysCncld"},
    {LtpCounter::kBlocksCancelledRxmtcycexc, "blocks_cancelled_rxmtcycexc",
     "link_ltp_blocks_cancelled_rxmtcycexc_total", "blocksCancelledRxmtcycexc"},
    {LtpCounter::kBlocksCancelledReserved, "blocks_cancelled_reserved",
     "link_ltp_blocks_cancelled_reserved_total", "blocksCancelledReserved"},
    {LtpCounter::kReceptionsCancelledUsrCncld, "receptions_cancelled_usr_cncld",
     "link_ltp_receptions_cancelled_usr_cncld_total", "receptionsCancelledUsrCncld"},
    {LtpCounter::kReceptionsCancelledUnreach, "receptions_cancelled_unreach",
     "link_ltp_receptions_cancelled_unreach_total", "receptionsCancelledUnreach"},
    {LtpCounter::kReceptionsCancelledRlexc, "receptions_cancelled_rlexc",
     "link_ltp_receptions_cancelled_rlexc_total", "receptionsCancelledRlexc"},
    {LtpCounter::kReceptionsCancelledMiscolored, "receptions_cancelled_miscolored",
     "link_ltp_receptions_cancelled_miscolored_total", "receptionsCancelledMiscolored"},
    {LtpCounter::kReceptionsCancelledSysCncld, "receptions_cancelled_sys_cncld",
     "link_ltp_receptions_cancelled_sys_cncld_total", "receptionsCancelledSysCncld"},
    {LtpCounter::kReceptionsCancelledRxmtcycexc, "receptions_cancelled_rxmtcycexc",
     "link_ltp_receptions_cancelled_rxmtcycexc_total", "receptionsCancelledRxmtcycexc"},
    {LtpCounter::kReceptionsCancelledReserved, "receptions_cancelled_reserved",
     "link_ltp_receptions_cancelled_reserved_total", "receptionsCancelledReserved"},
    {LtpCounter::kStrangersRefused, "strangers_refused", "link_ltp_strangers_refused_total",
     "strangersRefused"},
}};
static_assert(kLtpCounters.size() <= kLtpCounts);
static_assert(
    [] {
        for (std::size_t at = 0; at < kLtpCounters.size(); ++at)
            if (kLtpCounters[at].counter != static_cast<LtpCounter>(at)) return false;
        return kLtpCounters.size() == static_cast<std::size_t>(LtpCounter::kCount_);
    }(),
    "the rows are in the order of LtpCounter");

/// The names alone, as labels of the family.
inline constexpr auto kLtpCounterNames = [] {
    std::array<std::string_view, kLtpCounters.size()> names;
    for (std::size_t at = 0; at < names.size(); ++at) names[at] = kLtpCounters[at].name;
    return names;
}();

}  // namespace farlink::telemetry
