// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_counts.hpp"

#include <algorithm>
#include <functional>

namespace farlink::cla::ltp {
namespace {

struct Row {
    std::string_view name;
    std::uint64_t Counters::*value;
};

constexpr std::array kRows{
    Row{"segments_sent", &Counters::segments_sent},
    Row{"bytes_sent", &Counters::bytes_sent},
    Row{"blocks_sent", &Counters::blocks_sent},
    Row{"blocks_delivered", &Counters::blocks_delivered},
    Row{"segments_repeated", &Counters::segments_repeated},
    Row{"reports_sent", &Counters::reports_sent},
    Row{"segments_received", &Counters::segments_received},
    Row{"bytes_received", &Counters::bytes_received},
    Row{"blocks_received", &Counters::blocks_received},
    Row{"sessions_opened_by_peer", &Counters::sessions_opened},
    Row{"reports_received", &Counters::reports_received},
    Row{"sessions_reordered", &Counters::reordered},
    Row{"unauthenticated", &Counters::unauthenticated},
    Row{"authenticated_with_other_key", &Counters::other_keys},
    Row{"forged", &Counters::forged},
    Row{"trailing_octets", &Counters::trailing_octets},
    Row{"foreign_sessions", &Counters::foreign_sessions},
    Row{"duplicates", &Counters::duplicates},
    Row{"late", &Counters::late},
    Row{"miscoloured", &Counters::miscoloured},
    Row{"contradictory", &Counters::contradictory},
    Row{"blocks_too_large", &Counters::blocks_too_large},
    Row{"too_many_gaps", &Counters::too_many_gaps},
    Row{"no_memory", &Counters::no_memory},
    Row{"unknown_service", &Counters::unknown_service},
    Row{"sessions_refused", &Counters::sessions_refused},
    Row{"reports_repeated", &Counters::reports_repeated},
    Row{"reports_unknown_session", &Counters::reports_unknown_session},
    Row{"reports_beyond_sent", &Counters::reports_beyond_sent},
    Row{"reports_unknown_checkpoint", &Counters::reports_unknown_checkpoint},
    Row{"acks_unknown", &Counters::acks_unknown},
    Row{"cancels_unknown_session", &Counters::cancels_unknown_session},
    Row{"answers_dropped", &Counters::answers_dropped},
    Row{"green_lost", &Counters::green_lost},
};

constexpr std::array<std::string_view, 2> kLevels{"sessions_out_open", "sessions_in_open"};
/// In the order of SegmentError.
constexpr std::array<std::string_view, static_cast<std::size_t>(SegmentError::kCount_)> kMalformed{
    "malformed_truncated", "malformed_version", "malformed_undefined_type",
    "malformed_number",    "malformed_bounds",  "malformed_claims"};
/// In the order of CancelReason (RFC 5326 section 3.2.4), then all others.
constexpr std::array<std::string_view, Cancellations::kReasons> kOut{
    "blocks_cancelled_usr_cncld",  "blocks_cancelled_unreach",   "blocks_cancelled_rlexc",
    "blocks_cancelled_miscolored", "blocks_cancelled_sys_cncld", "blocks_cancelled_rxmtcycexc",
    "blocks_cancelled_reserved"};
constexpr std::array<std::string_view, Cancellations::kReasons> kIn{
    "receptions_cancelled_usr_cncld", "receptions_cancelled_unreach",
    "receptions_cancelled_rlexc",     "receptions_cancelled_miscolored",
    "receptions_cancelled_sys_cncld", "receptions_cancelled_rxmtcycexc",
    "receptions_cancelled_reserved"};
constexpr std::size_t kNamed =
    kRows.size() + kLevels.size() + kMalformed.size() + kOut.size() + kIn.size();
/// The last name, which counts for no peer.
constexpr std::size_t kStrangers = kNamed;

static_assert(kNamed + 1 <= telemetry::kLtpCounts);

LtpCounts read(const Counters &counters, std::size_t sessions_out, std::size_t sessions_in) {
    LtpCounts values{};
    auto to = values.begin();
    for (const Row &row : kRows) *to++ = counters.*row.value;
    *to++ = sessions_out;
    *to++ = sessions_in;
    to = std::ranges::copy(counters.malformed, to).out;
    to = std::ranges::copy(counters.blocks_cancelled.by_reason, to).out;
    std::ranges::copy(counters.receptions_cancelled.by_reason, to);
    return values;
}

}  // namespace

std::span<const std::string_view> ltp_count_names() {
    static const auto all = [] {
        std::array<std::string_view, kNamed + 1> names;
        auto to = std::ranges::transform(kRows, names.begin(), &Row::name).out;
        to = std::ranges::copy(kLevels, to).out;
        to = std::ranges::copy(kMalformed, to).out;
        to = std::ranges::copy(kOut, to).out;
        to = std::ranges::copy(kIn, to).out;
        *to = "strangers_refused";
        return names;
    }();
    return all;
}

void LtpTally::report(LinkHost &host, LinkId link, const PeerIdentity &peer, const Engine &engine,
                      PeerId id) {
    publish(host, link, peer,
            read(engine.counters(id), engine.sessions_out(id), engine.sessions_in(id)));
}

void LtpTally::report_ended(LinkHost &host, LinkId link, const PeerIdentity &peer,
                            const Counters &counters) {
    publish(host, link, peer, read(counters, 0, 0));
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
    counts[kStrangers] = more;
    host.on_counted(link, {}, counts);
}

}  // namespace farlink::cla::ltp
