// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/induct_reports.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/config/fields/link_url.hpp"

namespace farlink::ingress {

using telemetry::LinkCounter;

void InductReports::publish_state(const HostedInduct &hosted, bool opened) {
    config::LinkUrl url = hosted.config.url;
    if (opened && hosted.induct->port() != 0) url.port = hosted.induct->port();
    url.options.clear();
    const std::string text = config::to_string(url);
    const std::string reason = reason_of(hosted, opened);
    std::vector<bus::LinkInfo::Refused> refused;
    for (const RefusedId &each : hosted.trouble.refused())
        refused.push_back(
            {{each.node_id.begin(), each.node_id.end()}, {each.text.begin(), each.text.end()}});
    send_(bus::LinkInfo{.module = self_,
                        .kind = bus::LinkKind::kInduct,
                        .connected = opened && hosted.induct->listens(),
                        .link = hosted.config.id,
                        .url = {text.begin(), text.end()},
                        .reason = {reason.begin(), reason.end()},
                        .refused = std::move(refused)});
}

std::string InductReports::reason_of(const HostedInduct &hosted, bool opened) {
    if (opened && hosted.induct->listens()) return std::string(hosted.trouble.text());
    const std::string why = hosted.induct->failure();
    if (!why.empty()) return "cannot listen: " + why;
    return opened ? "does not listen until the reserve of the store is complete; free space on its "
                    "disk"
                  : "cannot listen; see the log";
}

void InductReports::publish_removed(LinkId link) {
    tallies_.forget(link);
    send_(bus::LinkInfo{
        .module = self_, .kind = bus::LinkKind::kInduct, .removed = true, .link = link});
}

void InductReports::count_session(const HostedInduct &hosted, bool opened) {
    if (hosted.tally == nullptr) return;
    telemetry::LinkCounters &counts = tallies_.change(*hosted.tally);
    if (opened) {
        counts.increment(LinkCounter::kSessionsOpened);
        counts.increment(LinkCounter::kSessionsOpen);
    } else {
        counts.subtract(LinkCounter::kSessionsOpen, 1);
    }
}

void InductReports::count_received(const HostedInduct &hosted, std::uint64_t bundles,
                                   std::uint64_t bytes) {
    if (hosted.tally == nullptr) return;
    telemetry::LinkCounters &counts = tallies_.change(*hosted.tally);
    counts.add(LinkCounter::kReceived, bundles);
    counts.add(LinkCounter::kReceivedBytes, bytes);
}

void InductReports::count_refused(const HostedInduct &hosted, std::uint64_t bundles) {
    if (hosted.tally != nullptr) tallies_.change(*hosted.tally).add(LinkCounter::kRefused, bundles);
}

}  // namespace farlink::ingress
