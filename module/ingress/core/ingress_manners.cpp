// SPDX-License-Identifier: Apache-2.0
// Bundles that are not what their standard wants: which are put up with, and what becomes of the
// others.
#include "common/bp/v7/age_block.hpp"
#include "module/ingress/core/ingress_core.hpp"

namespace farlink::ingress {

// What is wrong with it for its link; nothing where the link puts up with it.
std::optional<bp::ParseError> IngressCore::judge_manners(const bp::BundleView &view,
                                                         UpstreamId from) {
    const BundlePolicy policy = upstreams_.policy(from);
    std::optional<bp::ParseError> fault;
    if (view.has_unnumbered) {
        note_departure(from, BundleDeparture::kUnnumberedBlocks);
        if (policy.strict) fault = bp::ParseError::kBadBlockNumber;
    }
    if (view.primary_without_crc && !view.primary_signed) {
        note_departure(from, BundleDeparture::kPrimaryWithoutCrc);
        if (policy.strict) fault = bp::ParseError::kPrimaryWithoutCrc;
    }
    if (view.lacks_age) {
        note_departure(from, BundleDeparture::kAgeBlockMissing);
        if (!policy.allows_missing_age) fault = bp::ParseError::kAgeMissing;
    }
    return fault;
}

// RFC 9171 section 4.4.2: its age begins here.
void IngressCore::accept_ageless(const bp::BundleView &view, const Arrival &arrival,
                                 TimePoint now) {
    const ByteView head = arrival.slices.front().first(view.head_end);
    const Bytes age = bp::v7::make_age_block(head.subspan(view.primary_end));
    if (age.empty()) return reject(bp::ParseError::kAgeMissing, arrival, now);
    const SlabRef whole = join(arrival, now, age, view.primary_end);
    if (!whole) return;
    const ByteView slice{whole->data, arrival.size + age.size()};
    const auto aged = bp::parse({&slice, 1});
    FARLINK_INVARIANT(aged.has_value());
    Arrival joined = arrival;
    joined.slices = {&slice, 1};
    joined.slabs = {&whole, 1};
    joined.size = slice.size();
    dispatch(*aged, joined, now);
}

void IngressCore::note_departure(UpstreamId from, BundleDeparture kind) {
    if (!deviations_.empty() && deviations_.back().from == from && deviations_.back().kind == kind)
        ++deviations_.back().count;
    else
        deviations_.push_back({from, kind, 1});
}

// A sender that can be told is, and sends it no more.
void IngressCore::reject(bp::ParseError why, const Arrival &arrival, TimePoint now) {
    counters_.increment(IngressCounter::kMalformed, static_cast<std::size_t>(why));
    rejected_ = Rejected{arrival.from, arrival.sender, to_string(why)};
    if (!arrival.slices.empty()) report_malformed(arrival.slices.front(), why, now);
    acknowledge(arrival, TransferDisposition::kNotAcceptable, now);
}

// Only a primary block that can be read, and whose CRC fits where the version has one, is believed
// about whom to report to. How long a fragment was cannot be known.
void IngressCore::report_malformed(ByteView octets, bp::ParseError error, TimePoint now) {
    const auto view = bp::parse_primary(octets);
    if (!view || view->primary_without_crc || view->is_fragment) return;
    if ((view->requests & kReportDeletion) == 0) return;
    const bool hops = error == bp::ParseError::kHopLimitExceeded;
    report(bus::ReportEvent::kDeleted,
           hops ? bp::ReportReason::kHopLimitExceeded : bp::ReportReason::kBlockUnintelligible,
           octets.first(view->primary_end), 0, now);
}

std::optional<DepartureRun> IngressCore::poll_departure() {
    if (deviations_.empty()) return std::nullopt;
    return deviations_.pop_front();
}

}  // namespace farlink::ingress
