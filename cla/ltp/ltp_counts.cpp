// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_counts.hpp"

#include <algorithm>
#include <functional>

#include "common/telemetry/ltp_counters.hpp"

namespace farlink::cla::ltp {
namespace {

using telemetry::LtpCounter;

struct Row {
    LtpCounter counter;
    std::uint64_t Counters::*value;
};

constexpr std::array kRows{
    Row{LtpCounter::kSegmentsSent, &Counters::segments_sent},
    Row{LtpCounter::kBytesSent, &Counters::bytes_sent},
    Row{LtpCounter::kBlocksSent, &Counters::blocks_sent},
    Row{LtpCounter::kBlocksDelivered, &Counters::blocks_delivered},
    Row{LtpCounter::kSegmentsRepeated, &Counters::segments_repeated},
    Row{LtpCounter::kReportsSent, &Counters::reports_sent},
    Row{LtpCounter::kSegmentsReceived, &Counters::segments_received},
    Row{LtpCounter::kBytesReceived, &Counters::bytes_received},
    Row{LtpCounter::kBlocksReceived, &Counters::blocks_received},
    Row{LtpCounter::kSessionsOpenedByPeer, &Counters::sessions_opened},
    Row{LtpCounter::kReportsReceived, &Counters::reports_received},
    Row{LtpCounter::kSessionsReordered, &Counters::reordered},
    Row{LtpCounter::kUnauthenticated, &Counters::unauthenticated},
    Row{LtpCounter::kAuthenticatedWithOtherKey, &Counters::other_keys},
    Row{LtpCounter::kForged, &Counters::forged},
    Row{LtpCounter::kTrailingOctets, &Counters::trailing_octets},
    Row{LtpCounter::kForeignSessions, &Counters::foreign_sessions},
    Row{LtpCounter::kDuplicates, &Counters::duplicates},
    Row{LtpCounter::kLate, &Counters::late},
    Row{LtpCounter::kMiscoloured, &Counters::miscoloured},
    Row{LtpCounter::kContradictory, &Counters::contradictory},
    Row{LtpCounter::kBlocksTooLarge, &Counters::blocks_too_large},
    Row{LtpCounter::kTooManyGaps, &Counters::too_many_gaps},
    Row{LtpCounter::kNoMemory, &Counters::no_memory},
    Row{LtpCounter::kUnknownService, &Counters::unknown_service},
    Row{LtpCounter::kSessionsRefused, &Counters::sessions_refused},
    Row{LtpCounter::kReportsRepeated, &Counters::reports_repeated},
    Row{LtpCounter::kReportsUnknownSession, &Counters::reports_unknown_session},
    Row{LtpCounter::kReportsBeyondSent, &Counters::reports_beyond_sent},
    Row{LtpCounter::kReportsUnknownCheckpoint, &Counters::reports_unknown_checkpoint},
    Row{LtpCounter::kAcksUnknown, &Counters::acks_unknown},
    Row{LtpCounter::kCancelsUnknownSession, &Counters::cancels_unknown_session},
    Row{LtpCounter::kAnswersDropped, &Counters::answers_dropped},
    Row{LtpCounter::kGreenLost, &Counters::green_lost},
};

constexpr std::size_t kMalformed = static_cast<std::size_t>(SegmentError::kCount_);
// Open sessions of both directions, and those that count for no peer.
constexpr std::size_t kOthers = 3;
static_assert(kRows.size() + kMalformed + 2 * Cancellations::kReasons + kOthers ==
                  telemetry::kLtpCounters.size(),
              "every counter of the table is counted");

std::uint64_t *place(LtpCounts &values, LtpCounter counter) {
    return &values[static_cast<std::size_t>(counter)];
}

LtpCounts read(const Counters &counters, std::size_t sessions_out, std::size_t sessions_in) {
    LtpCounts values{};
    for (const Row &row : kRows) *place(values, row.counter) = counters.*row.value;
    *place(values, LtpCounter::kSessionsOutOpen) = sessions_out;
    *place(values, LtpCounter::kSessionsInOpen) = sessions_in;
    std::ranges::copy(counters.malformed, place(values, LtpCounter::kMalformedTruncated));
    std::ranges::copy(counters.blocks_cancelled.by_reason,
                      place(values, LtpCounter::kBlocksCancelledUsrCncld));
    std::ranges::copy(counters.receptions_cancelled.by_reason,
                      place(values, LtpCounter::kReceptionsCancelledUsrCncld));
    return values;
}

}  // namespace

void LtpTally::report(LinkHost &host, LinkId link, const PeerIdentity &peer, const Engine &engine,
                      PeerId id) {
    publish(host, link, peer,
            read(engine.counters(id), engine.sessions_out(id), engine.sessions_in(id)));
}

void LtpTally::report_ended(LinkHost &host, LinkId link, const PeerIdentity &peer,
                            const Counters &counters) {
    publish(host, link, peer, read(counters, 0, 0));
}

void LtpTally::end_levels(LinkHost &host, LinkId link, const PeerIdentity &peer) {
    LtpCounts now = published_;
    *place(now, LtpCounter::kSessionsOutOpen) = 0;
    *place(now, LtpCounter::kSessionsInOpen) = 0;
    publish(host, link, peer, now);
}

void LtpTally::publish(LinkHost &host, LinkId link, const PeerIdentity &peer,
                       const LtpCounts &now) {
    if (now == published_) return;
    LtpCounts more{};
    std::ranges::transform(now, published_, more.begin(), std::minus<>());
    published_ = now;
    host.on_counted(link, peer, more);
}

void report_strangers(LinkHost &host, LinkId link, std::uint64_t more) {
    if (more == 0) return;
    LtpCounts counts{};
    *place(counts, LtpCounter::kStrangersRefused) = more;
    host.on_counted(link, {}, counts);
}

}  // namespace farlink::cla::ltp
