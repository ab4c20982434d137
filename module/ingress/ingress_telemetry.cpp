// SPDX-License-Identifier: Apache-2.0
// What telemetry hears of the inducts, and of ingress as a whole.
#include <array>

#include "common/bus/telemetry_reports.hpp"
#include "common/config/link_url.hpp"
#include "module/ingress/ingress_agent.hpp"

namespace farlink::ingress {

using telemetry::LinkCounter;

void IngressAgent::count_session(HostedInduct &hosted, bool opened) {
    if (hosted.tally == nullptr) return;
    telemetry::LinkCounters &counts = tallies_.change(*hosted.tally);
    if (opened) {
        counts.increment(LinkCounter::kSessionsOpened);
        counts.increment(LinkCounter::kSessionsOpen);
    } else {
        counts.subtract(LinkCounter::kSessionsOpen, 1);
    }
}

void IngressAgent::count_received(HostedInduct &hosted, UpstreamId from, std::uint64_t bundles,
                                  std::uint64_t bytes) {
    if (hosted.tally != nullptr) {
        telemetry::LinkCounters &counts = tallies_.change(*hosted.tally);
        counts.add(LinkCounter::kReceived, bundles);
        counts.add(LinkCounter::kReceivedBytes, bytes);
    }
    neighbours_.count_received(from, bundles, bytes);
}

// What bundles do beside their standard counts beside what their layer tells of the peer.
void IngressAgent::count_departures() {
    while (const auto run = core_.poll_departure()) {
        const auto kind = static_cast<std::size_t>(cla::Departure::kUnnumberedBlocks) +
                          static_cast<std::size_t>(run->kind);
        std::array<std::uint64_t, telemetry::kDepartureKinds> more{};
        more.at(kind) = run->count;
        core_.counters().add(IngressCounter::kDeparture, more);
        const auto induct = induct_of_.find(run->from);
        if (induct == induct_of_.end() || !is_here(induct->second->config.id)) continue;
        const auto name = peer_names_.find(run->from);
        tallies_
            .of(induct->second->config.id, name == peer_names_.end() ? std::string{} : name->second)
            .add(LinkCounter::kDeparture, more);
    }
}

void IngressAgent::tell_of(const HostedInduct &hosted, bool listens) {
    config::LinkUrl url = hosted.config.url;
    if (listens) url.port = hosted.induct->port();
    url.options.clear();
    const std::string text = config::to_string(url);
    const std::string_view reason = listens ? "" : "it cannot listen; the log says why";
    loop_.send(bus::AgentId::kTelemetry, bus::LinkInfo{.module = loop_.self(),
                                                       .kind = bus::LinkKind::kInduct,
                                                       .connected = listens,
                                                       .link = hosted.config.id,
                                                       .url = {text.begin(), text.end()},
                                                       .reason = {reason.begin(), reason.end()}});
}

// Sessions of the induct may last for a while, and nobody counts what they bring.
void IngressAgent::forget(LinkId link) {
    for (LeavingInduct &leaving : leaving_)
        if (leaving.hosted->config.id == link) leaving.hosted->tally = nullptr;
    tallies_.forget(link);
    loop_.send(
        bus::AgentId::kTelemetry,
        bus::LinkInfo{
            .module = loop_.self(), .kind = bus::LinkKind::kInduct, .removed = true, .link = link});
}

void IngressAgent::on_report() {
    while (auto info = neighbours_.poll_info())
        loop_.send(bus::AgentId::kTelemetry, std::move(*info));
    bus::send_link_reports(loop_, loop_.self(), tallies_);
    if (reported_.take(core_.counters().values())) report_counters(false);
}

}  // namespace farlink::ingress
