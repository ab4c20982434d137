// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/probe.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <vector>

#include <farlink/client/session.hpp>

#include "apps/bptrace/core/way_text.hpp"
#include "apps/shared/messages/interruption.hpp"
#include "apps/shared/options/complain.hpp"
#include "common/bp/base/bundle_view.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::bptrace {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// After the bundle has come to its end: reports of nodes before it may still be under way.
constexpr milliseconds kLinger{1000};
/// So soon an interruption is noticed.
constexpr milliseconds kGlance{500};
constexpr std::size_t kAtOnce = 64;

bool is_v6(const Arguments &arguments) {
    return arguments.bp_version == bp::kBpVersion6;
}

client::SendOptions options_of(const Arguments &arguments, const std::string &report_to) {
    client::SendOptions with;
    with.report_to = report_to;
    with.reports = static_cast<std::uint8_t>(client::kReportReception | client::kReportForwarding |
                                             client::kReportDelivery | client::kReportDeletion |
                                             client::kReportTimes);
    with.lifetime = messages::milliseconds_of(arguments.lifetime_s > 0 ? arguments.lifetime_s
                                                                       : arguments.timeout_s);
    if (is_v6(arguments))
        with.bp_version = bp::kBpVersion6;
    else
        with.hop_limit = static_cast<std::uint8_t>(arguments.hop_limit);
    return with;
}

/// The identity by which reports name the probe; none: its source is no endpoint.
std::optional<bp::BundleId> probe_of(const Arguments &arguments, const client::BundleId &sent) {
    const auto source = bp::Eid::parse(sent.source);
    if (!source) return std::nullopt;
    const std::uint64_t unit_ms = is_v6(arguments) ? bp::v6::kMsPerSecond : 1;
    return bp::BundleId{*source, sent.creation_ms / unit_ms, sent.sequence, {}};
}

/// Adds what is a report; an echo of the probe, for example, is accepted and dropped.
void take(client::Endpoint &endpoint, const std::vector<client::Adu> &adus, Way &way) {
    for (const client::Adu &adu : adus) {
        if (!adu.is_status_report) continue;
        const auto report = read_report(adu.payload, adu.source, adu.creation_ms);
        if (report) (void)way.add(*report);
    }
    endpoint.accept_many(adus);
}

/// The error; empty: the end of the bundle, the time limit or the user has ended it.
std::string collect(client::Endpoint &endpoint, const messages::Interruption &interruption,
                    Clock::time_point end, Way &way) {
    bool lingers = false;
    while (!interruption.asked() && !way.complete()) {
        if (!lingers && (way.delivered() || way.deleted())) {
            lingers = true;
            end = std::min(end, Clock::now() + kLinger);
        }
        const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
        if (left <= milliseconds::zero()) break;
        const auto adus = endpoint.receive_many(kAtOnce, std::min(left, kGlance));
        if (adus)
            take(endpoint, *adus, way);
        else if (adus.error().code != client::ErrorCode::kTimedOut)
            return "the connection to the node was lost: " + adus.error().reason;
    }
    return {};
}

void print(const Way &way, const Trace &trace, bool json) {
    if (json)
        std::cout << way_json(way, trace)
                         .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                  << '\n';
    else
        std::cout << "bundle " << bp::to_string(way.probe()) << " to " << trace.destination << ", "
                  << trace.bytes << " bytes\n"
                  << way_text(way, trace);
    std::cout << std::flush;
}

}  // namespace

int run_probe(const Arguments &arguments) {
    if (const std::string wrong = wrong_probe(arguments); !wrong.empty())
        return complain(wrong, kExitUsage);
    auto endpoint = messages::connect(arguments.node, {});
    if (!endpoint) return complain(endpoint.error(), kExitNotDelivered);

    const messages::Interruption interruption;
    const Clock::time_point end = Clock::now() + messages::milliseconds_of(arguments.timeout_s);
    const Bytes payload(arguments.payload_bytes);
    const DtnTime before_ms = client::dtn_now_ms();
    const client::Sent sent =
        endpoint->send(arguments.what, payload, options_of(arguments, endpoint->id()),
                       messages::milliseconds_of(arguments.timeout_s));
    if (sent.error)
        return complain("the node did not accept the probe: " +
                            (sent.error->reason.empty() ? "no reason given" : sent.error->reason),
                        kExitNotDelivered);
    const auto probe = probe_of(arguments, sent.id);
    if (!probe)
        return complain("the node reported an invalid source endpoint: " + sent.id.source,
                        kExitNotDelivered);

    Way way(*probe);
    const std::string error = collect(*endpoint, interruption, end, way);
    print(way,
          {.destination = arguments.what,
           .bytes = arguments.payload_bytes,
           .version = arguments.bp_version,
           // The creation time of a BPv6 bundle lacks its milliseconds.
           .sent_ms = is_v6(arguments) ? before_ms : sent.id.creation_ms,
           .limit_s = arguments.timeout_s,
           .interrupted = interruption.asked()},
          arguments.json);
    if (!error.empty()) return complain(error, kExitNotDelivered);
    return way.delivered() ? kExitDelivered : kExitNotDelivered;
}

}  // namespace farlink::bptrace
