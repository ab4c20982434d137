// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/core/node_report.hpp"

#include <algorithm>
#include <utility>

#include "common/bp/v6/admin_record_codec.hpp"
#include "common/bp/v6/primary.hpp"
#include "common/bp/v7/admin_record_codec.hpp"

namespace farlink::bptrace {
namespace {

constexpr std::uint64_t kNanosecondsPerMs = 1'000'000;

Moment moment_of(std::optional<DtnTime> stated, DtnTime created_ms) {
    // Without a clock the time of a report is 0.
    if (stated && *stated > 0) return {*stated, true};
    return {created_ms, false};
}

void read_v7(const bp::v7::StatusReport &report, DtnTime created_ms, NodeReport &to) {
    for (std::size_t event = 0; event < kEvents; ++event)
        if (report.items[event].asserted)
            to.moments[event] = moment_of(report.items[event].time_ms, created_ms);
    to.reason = report.reason;
    to.subject = {report.source, report.creation_time_ms, report.sequence, report.fragment};
}

void read_v6(const bp::v6::StatusReport &report, DtnTime created_ms, NodeReport &to) {
    // RFC 5050 section 6.1.1: custody acceptance is between reception and forwarding.
    constexpr std::array<std::size_t, kEvents> kPlaces{0, 2, 3, 4};
    for (std::size_t event = 0; event < kEvents; ++event)
        if (const auto &time = report.times[kPlaces[event]]) {
            const DtnTime ms =
                std::min(time->seconds, kDtnNever / bp::v6::kMsPerSecond) * bp::v6::kMsPerSecond;
            to.moments[event] =
                moment_of(saturating_add(ms, time->nanoseconds / kNanosecondsPerMs), created_ms);
        }
    to.reason = report.reason;
    to.subject = {report.subject.source, report.subject.creation_time_s, report.subject.sequence,
                  report.subject.fragment};
}

}  // namespace

std::optional<NodeReport> read_report(ByteView payload, std::string source, DtnTime created_ms) {
    NodeReport report;
    report.node = std::move(source);
    if (const auto v7 = bp::v7::decode_status_report(payload))
        read_v7(*v7, created_ms, report);
    else if (const auto v6 = bp::v6::decode_status_report(payload))
        read_v6(*v6, created_ms, report);
    else
        return std::nullopt;
    return report;
}

}  // namespace farlink::bptrace
