// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/sending/submissions.hpp"

#include <algorithm>

#include "common/bp/base/bundle_view.hpp"
#include "common/bp/eid/reserved.hpp"
#include "common/bp/status_reports.hpp"
#include "common/buffer/batch.hpp"
#include "common/config/applications/applications_fields.hpp"

namespace farlink::applications {
namespace {

using namespace bp::v7;

/// Where sequence numbers begin in each millisecond, and without a clock: there the bundles of two
/// starts differ in nothing else.
constexpr std::uint64_t kRandomSequences = 0xffff;
constexpr std::uint64_t kRandomWithoutClock = 0xffff'ffff'ffff;
/// A sender's clock may be ahead by as much.
constexpr std::uint64_t kClockSlackMs = 60'000;
constexpr std::uint64_t kMostHops = 255;
constexpr std::uint64_t kLastCrcType = 2;
constexpr std::uint64_t kUsualVersion = 7;

constexpr Verdict kNoDestination{ResponseStatus::kInvalidRequest,
                                 "the destination is not an endpoint to which bundles can be sent"};
constexpr Verdict kNoSource{ResponseStatus::kInvalidRequest, "the source is not an endpoint"};
constexpr Verdict kOtherReportTo{ResponseStatus::kUnauthorized,
                                 "no entry of applications.access allows this report-to"};
constexpr Verdict kPast{ResponseStatus::kInvalidRequest,
                        "the lifetime has expired: the creation time is too old"};
constexpr Verdict kNoReportTo{ResponseStatus::kInvalidRequest, "the report-to is not an endpoint"};
constexpr Verdict kOtherSource{ResponseStatus::kUnauthorized,
                               "this application may not send as that source"};
constexpr Verdict kOtherDestination{ResponseStatus::kUnauthorized,
                                    "this application may not send to that destination"};
constexpr Verdict kTooLarge{ResponseStatus::kInvalidRequest,
                            "the ADU is larger than this application may send"};
constexpr Verdict kTooLong{ResponseStatus::kUnauthorized,
                           "the lifetime is longer than this application may request"};
constexpr Verdict kTooUrgent{ResponseStatus::kUnauthorized,
                             "the priority is higher than this application may request"};
constexpr Verdict kNoRecords{ResponseStatus::kInvalidRequest,
                             "applications must not send administrative records"};
constexpr Verdict kBadOption{ResponseStatus::kInvalidRequest,
                             "invalid CRC type, hop limit or bundle protocol version"};
constexpr Verdict kNotInV6{ResponseStatus::kInvalidRequest,
                           "a BPv6 bundle has neither CRCs nor a hop limit"};
constexpr Verdict kNotWholeSeconds{ResponseStatus::kInvalidRequest,
                                   "the creation time of a BPv6 bundle must be in whole seconds"};

/// Beside the kReport* bits: reports state when the event was.
constexpr std::uint8_t kReportTimes = 16;

bool is_v6(const AduFields &fields) {
    return fields.version == bp::kBpVersion6;
}

constexpr std::uint64_t whole_seconds(std::uint64_t ms) {
    return ms - ms % kMsPerSecond;
}

constexpr std::uint64_t flags_of(std::uint8_t reports) {
    std::uint64_t flags = 0;
    if ((reports & kReportReception) != 0) flags |= kReportReceptionFlag;
    if ((reports & kReportForwarding) != 0) flags |= kReportForwardingFlag;
    if ((reports & kReportDelivery) != 0) flags |= kReportDeliveryFlag;
    if ((reports & kReportDeletion) != 0) flags |= kReportDeletionFlag;
    if ((reports & kReportTimes) != 0) flags |= kStatusTimeRequested;
    return flags;
}

}  // namespace

Submissions::Submissions(const config::ApplicationsNode &config, const ClockGuard &clock,
                         std::uint64_t seed)
    : config_(config),
      clock_(clock),
      first_sequence_(seed & kRandomSequences),
      sequence_(seed & kRandomWithoutClock),
      sequence_v6_(seed & kRandomWithoutClock) {}

Verdict Submissions::admit(const Grant &grant, const bp::EidView &own, const BundleAdu &adu,
                           AduFields &fields, TimePoint now) {
    if ((adu.flags & kAduHasDispatchAuthority) != 0) return kNoDispatch;
    if ((adu.flags & (kAduIsBpdu | kAduIsStatusReport)) != 0) return kNoRecords;
    if (adu.payload_bytes > grant.largest_adu_bytes()) return kTooLarge;
    PrimaryFields &primary = fields.primary;
    if (const Verdict bad = set_endpoints(grant, own, adu, primary); !bad.good()) return bad;
    if (const Verdict bad = set_version(adu, fields); !bad.good()) return bad;
    if (const Verdict bad = set_lifetime(grant, adu, fields); !bad.good()) return bad;
    if (const Verdict bad = set_options(grant, adu, fields); !bad.good()) return bad;
    fields.payload_bytes = adu.payload_bytes;
    if (adu.creation_ms > 0) return take_timestamp(grant, adu, fields, now);
    set_timestamp(fields, now);
    return {};
}

// A sender that gives its own time stamp can repeat an ADU: it is the same bundle.
Verdict Submissions::take_timestamp(const Grant &grant, const BundleAdu &adu, AduFields &fields,
                                    TimePoint now) const {
    // Cut to seconds, it might be that of another bundle.
    if (is_v6(fields) && whole_seconds(adu.creation_ms) != adu.creation_ms) return kNotWholeSeconds;
    fields.primary.creation_time_ms = adu.creation_ms;
    fields.primary.sequence = adu.sequence;
    return judge_time(grant, fields.primary, now);
}

// A sender's own time stamp neither shortens nor lengthens the life of its bundle unseen.
Verdict Submissions::judge_time(const Grant &grant, const PrimaryFields &primary,
                                TimePoint now) const {
    if (clock_.state() == ClockState::kUnset) return {};
    const DtnTime today = clock_.dtn_at(now);
    const DtnTime expiry = saturating_add(primary.creation_time_ms, primary.lifetime_ms);
    if (expiry <= today) return kPast;
    const bool longer = expiry - today > saturating_add(grant.longest_lifetime_ms(), kClockSlackMs);
    return longer ? kTooLong : Verdict{};
}

Verdict Submissions::set_endpoints(const Grant &grant, const bp::EidView &own, const BundleAdu &adu,
                                   PrimaryFields &primary) {
    if (!is_as_before(grant, own, adu)) {
        last_.grant = nullptr;
        if (const Verdict bad = judge_endpoints(grant, own, adu); !bad.good()) return bad;
        last_ = {&grant, bp::Eid(own), std::string(adu.source), std::string(adu.destination),
                 std::string(adu.report_to)};
    }
    primary.destination = destination_.view();
    primary.source = source_.view();
    primary.report_to = report_to_.view();
    return {};
}

bool Submissions::is_as_before(const Grant &grant, const bp::EidView &own,
                               const BundleAdu &adu) const {
    return last_.grant == &grant && last_.destination == adu.destination &&
           last_.source == adu.source && last_.report_to == adu.report_to &&
           last_.own.view() == own;
}

Verdict Submissions::judge_endpoints(const Grant &grant, const bp::EidView &own,
                                     const BundleAdu &adu) {
    const auto destination = bp::Eid::parse(adu.destination);
    if (!destination || bp::leads_nowhere(destination->view())) return kNoDestination;
    destination_ = *destination;
    if (const bp::EidView to = destination_.view(); bp::is_local_node(to))
        destination_ = bp::Eid(config_.node.value(), to.service);
    if (!grant.may_send_to(destination_.view())) return kOtherDestination;
    source_ = bp::Eid(own);
    if (!adu.source.empty()) {
        const auto source = bp::Eid::parse(adu.source);
        if (!source) return kNoSource;
        source_ = *source;
        if (source_.view() != own && !grant.may_send_as(source_.view())) return kOtherSource;
    }
    report_to_ = {};
    if (adu.report_to.empty()) return {};
    const auto report_to = bp::Eid::parse(adu.report_to);
    if (!report_to) return kNoReportTo;
    report_to_ = *report_to;
    const bool allowed = report_to_.view() == own || bp::leads_nowhere(report_to_.view()) ||
                         grant.may_send_to(report_to_.view());
    return allowed ? Verdict{} : kOtherReportTo;
}

Verdict Submissions::set_version(const BundleAdu &adu, AduFields &fields) {
    const std::uint64_t version = adu.options.version.value_or(kUsualVersion);
    if (version != kUsualVersion && version != bp::kBpVersion6) return kBadOption;
    fields.version = static_cast<std::uint8_t>(version);
    return {};
}

Verdict Submissions::set_lifetime(const Grant &grant, const BundleAdu &adu,
                                  AduFields &fields) const {
    const std::uint64_t usual = config_.applications.default_lifetime_seconds * kMsPerSecond;
    const std::uint64_t asked = adu.options.lifetime_ms;
    if (asked > grant.longest_lifetime_ms()) return kTooLong;
    std::uint64_t &lifetime = fields.primary.lifetime_ms;
    lifetime = asked > 0 ? asked : std::min(usual, grant.longest_lifetime_ms());
    if (is_v6(fields)) lifetime = whole_seconds(saturating_add(lifetime, kMsPerSecond - 1));
    return {};
}

// The report-to of a stock client asks for the reports that matter to it.
Verdict Submissions::set_options(const Grant &grant, const BundleAdu &adu, AduFields &fields) {
    const SendOptions &options = adu.options;
    const std::uint64_t usual_crc = is_v6(fields) ? 0 : kLastCrcType;
    const std::uint64_t crc = options.crc_type.value_or(usual_crc);
    const std::uint64_t hops = options.hop_limit.value_or(0);
    if (crc > kLastCrcType || hops > kMostHops) return kBadOption;
    if (is_v6(fields) && (crc > 0 || hops > 0)) return kNotInV6;
    // The primary block of BPv7 must have a CRC (RFC 9171 section 4.3.1).
    fields.crc_type = static_cast<CrcType>(crc);
    fields.primary.crc_type = crc == 0 ? CrcType::kCrc32c : fields.crc_type;
    fields.hop_limit = static_cast<std::uint8_t>(hops);
    if (options.priority > grant.highest_priority()) return kTooUrgent;
    fields.priority = options.priority;
    // By policy, or normal, it would be above the limit.
    if (!fields.priority && grant.highest_priority() < Priority::kNormal)
        fields.priority = grant.highest_priority();
    const std::uint8_t usual =
        adu.report_to.empty() ? 0 : static_cast<std::uint8_t>(kReportDelivery | kReportDeletion);
    fields.primary.flags = flags_of(options.reports.value_or(usual));
    return {};
}

void Submissions::set_timestamp(AduFields &fields, TimePoint now) {
    const bool has_clock = clock_.state() != ClockState::kUnset;
    PrimaryFields &primary = fields.primary;
    // Many bundles are of one second: their sequence number always goes on.
    if (is_v6(fields)) {
        primary.creation_time_ms = has_clock ? whole_seconds(clock_.dtn_at(now)) : 0;
        primary.sequence = ++sequence_v6_;
        return;
    }
    // Without a clock the time is 0, and the sequence number goes on.
    const DtnTime time = has_clock ? std::max(clock_.dtn_at(now), last_time_) : 0;
    sequence_ = time == last_time_ ? sequence_ + 1 : first_sequence_;
    last_time_ = time;
    primary.creation_time_ms = time;
    primary.sequence = sequence_;
}

}  // namespace farlink::applications
