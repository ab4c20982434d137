// SPDX-License-Identifier: Apache-2.0
// The counters of an LTP engine: members of the family LinkCounter::kLtp, with their public names.
// A constant table; any thread.
// The order is that of cla::ltp::ltp_count_names(); new rows go to the end of both.
#pragma once

#include <array>
#include <string_view>

#include "common/telemetry/link_counters.hpp"

namespace farlink::telemetry {

struct LtpCounterInfo {
    std::string_view name;    ///< in the node's log, behind "ltp_"
    std::string_view metric;  ///< metric family, without the prefix "farlink_"
    std::string_view json;    ///< member of `ltp` of a link in the state document
    bool gauge = false;       ///< open sessions; `sessions` of `ltp` is the sum of the gauges
};

inline constexpr std::array<LtpCounterInfo, 57> kLtpCounters{{
    {"segments_sent", "link_ltp_segments_sent_total", "segmentsSent"},
    {"bytes_sent", "link_ltp_bytes_sent_total", "bytesSent"},
    {"blocks_sent", "link_ltp_blocks_sent_total", "blocksSent"},
    {"blocks_delivered", "link_ltp_blocks_delivered_total", "blocksDelivered"},
    {"segments_repeated", "link_ltp_segments_repeated_total", "retransmittedSegments"},
    {"reports_sent", "link_ltp_reports_sent_total", "reportsSent"},
    {"segments_received", "link_ltp_segments_received_total", "segmentsReceived"},
    {"bytes_received", "link_ltp_bytes_received_total", "bytesReceived"},
    {"blocks_received", "link_ltp_blocks_received_total", "blocksReceived"},
    {"sessions_opened_by_peer", "link_ltp_sessions_opened_by_peer_total", "sessionsOpenedByPeer"},
    {"reports_received", "link_ltp_reports_received_total", "reportsReceived"},
    {"sessions_reordered", "link_ltp_sessions_reordered_total", "sessionsReordered"},
    {"unauthenticated", "link_ltp_unauthenticated_total", "unauthenticated"},
    {"authenticated_with_other_key", "link_ltp_authenticated_with_other_key_total",
     "authenticatedWithOtherKey"},
    {"forged", "link_ltp_forged_total", "forged"},
    {"trailing_octets", "link_ltp_trailing_octets_total", "trailingOctets"},
    {"foreign_sessions", "link_ltp_foreign_sessions_total", "foreignSessions"},
    {"duplicates", "link_ltp_duplicates_total", "duplicates"},
    {"late", "link_ltp_late_total", "late"},
    {"miscoloured", "link_ltp_miscoloured_total", "miscoloured"},
    {"contradictory", "link_ltp_contradictory_total", "contradictory"},
    {"blocks_too_large", "link_ltp_blocks_too_large_total", "blocksTooLarge"},
    {"too_many_gaps", "link_ltp_too_many_gaps_total", "tooManyGaps"},
    {"no_memory", "link_ltp_no_memory_total", "noMemory"},
    {"unknown_service", "link_ltp_unknown_service_total", "unknownService"},
    {"sessions_refused", "link_ltp_sessions_refused_total", "sessionsRefused"},
    {"reports_repeated", "link_ltp_reports_repeated_total", "reportsRepeated"},
    {"reports_unknown_session", "link_ltp_reports_unknown_session_total", "reportsUnknownSession"},
    {"reports_beyond_sent", "link_ltp_reports_beyond_sent_total", "reportsBeyondSent"},
    {"reports_unknown_checkpoint", "link_ltp_reports_unknown_checkpoint_total",
     "reportsUnknownCheckpoint"},
    {"acks_unknown", "link_ltp_acks_unknown_total", "acksUnknown"},
    {"cancels_unknown_session", "link_ltp_cancels_unknown_session_total", "cancelsUnknownSession"},
    {"answers_dropped", "link_ltp_answers_dropped_total", "answersDropped"},
    {"green_lost", "link_ltp_green_lost_total", "greenLost"},
    {"sessions_out_open", "link_ltp_sessions_out_open", "sessionsOutOpen", true},
    {"sessions_in_open", "link_ltp_sessions_in_open", "sessionsInOpen", true},
    {"malformed_truncated", "link_ltp_malformed_truncated_total", "malformedTruncated"},
    {"malformed_version", "link_ltp_malformed_version_total", "malformedVersion"},
    {"malformed_undefined_type", "link_ltp_malformed_undefined_type_total",
     "malformedUndefinedType"},
    {"malformed_number", "link_ltp_malformed_number_total", "malformedNumber"},
    {"malformed_bounds", "link_ltp_malformed_bounds_total", "malformedBounds"},
    {"malformed_claims", "link_ltp_malformed_claims_total", "malformedClaims"},
    {"blocks_cancelled_usr_cncld", "link_ltp_blocks_cancelled_usr_cncld_total",
     "blocksCancelledUsrCncld"},
    {"blocks_cancelled_unreach", "link_ltp_blocks_cancelled_unreach_total",
     "blocksCancelledUnreach"},
    {"blocks_cancelled_rlexc", "link_ltp_blocks_cancelled_rlexc_total", "blocksCancelledRlexc"},
    {"blocks_cancelled_miscolored", "link_ltp_blocks_cancelled_miscolored_total",
     "blocksCancelledMiscolored"},
    {"blocks_cancelled_sys_cncld", "link_ltp_blocks_cancelled_sys_cncld_total",
     "blocksCancelledSysCncld"},
    {"blocks_cancelled_rxmtcycexc", "link_ltp_blocks_cancelled_rxmtcycexc_total",
     "blocksCancelledRxmtcycexc"},
    {"blocks_cancelled_reserved", "link_ltp_blocks_cancelled_reserved_total",
     "blocksCancelledReserved"},
    {"receptions_cancelled_usr_cncld", "link_ltp_receptions_cancelled_usr_cncld_total",
     "receptionsCancelledUsrCncld"},
    {"receptions_cancelled_unreach", "link_ltp_receptions_cancelled_unreach_total",
     "receptionsCancelledUnreach"},
    {"receptions_cancelled_rlexc", "link_ltp_receptions_cancelled_rlexc_total",
     "receptionsCancelledRlexc"},
    {"receptions_cancelled_miscolored", "link_ltp_receptions_cancelled_miscolored_total",
     "receptionsCancelledMiscolored"},
    {"receptions_cancelled_sys_cncld", "link_ltp_receptions_cancelled_sys_cncld_total",
     "receptionsCancelledSysCncld"},
    {"receptions_cancelled_rxmtcycexc", "link_ltp_receptions_cancelled_rxmtcycexc_total",
     "receptionsCancelledRxmtcycexc"},
    {"receptions_cancelled_reserved", "link_ltp_receptions_cancelled_reserved_total",
     "receptionsCancelledReserved"},
    {"strangers_refused", "link_ltp_strangers_refused_total", "strangersRefused"},
}};
static_assert(kLtpCounters.size() <= kLtpCounts);

/// The names alone, as labels of the family.
inline constexpr auto kLtpCounterNames = [] {
    std::array<std::string_view, kLtpCounters.size()> names;
    for (std::size_t at = 0; at < names.size(); ++at) names[at] = kLtpCounters[at].name;
    return names;
}();

}  // namespace farlink::telemetry
