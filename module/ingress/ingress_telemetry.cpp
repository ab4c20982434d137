// SPDX-License-Identifier: Apache-2.0
// What telemetry hears of the inducts, and of ingress as a whole.
#include <array>

#include "common/bus/loop/telemetry_reports.hpp"
#include "common/config/fields/link_url.hpp"
#include "module/ingress/ingress_agent.hpp"

namespace farlink::ingress {

using telemetry::LinkCounter;

namespace {

/// Of why a session ended, as the peer or a library says it.
constexpr std::size_t kLongestDetail = 200;

}  // namespace

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
        const auto kind = static_cast<std::size_t>(cla::ProtocolDeviation::kUnnumberedBlocks) +
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

void IngressAgent::publish_state(const HostedInduct &hosted, bool listens) {
    config::LinkUrl url = hosted.config.url;
    if (listens) url.port = hosted.induct->port();
    url.options.clear();
    const std::string text = config::to_string(url);
    const std::string_view reason =
        listens ? std::string_view(hosted.trouble.text()) : "it cannot listen; the log says why";
    loop_.send(bus::AgentId::kTelemetry, bus::LinkInfo{.module = loop_.self(),
                                                       .kind = bus::LinkKind::kInduct,
                                                       .connected = listens,
                                                       .link = hosted.config.id,
                                                       .url = {text.begin(), text.end()},
                                                       .reason = {reason.begin(), reason.end()}});
}

void IngressAgent::on_ending(LinkId, const cla::PeerIdentity &peer, std::string_view detail) {
    ending_.peer = peer.node_id.empty() ? peer.address : peer.node_id + " at " + peer.address;
    ending_.detail = detail.substr(0, kLongestDetail);
}

// Of an induct that is there yet, for a while: the peer tries again.
void IngressAgent::note_trouble(HostedInduct &hosted, const SessionEnd &end, cla::LinkFault fault) {
    if (!hosted.trouble.note(end, fault, monotonic_now())) return;
    const auto found = inducts_.find(hosted.config.id);
    if (found != inducts_.end() && found->second.get() == &hosted) publish_state(hosted, true);
}

void IngressAgent::forget_troubles() {
    for (const auto &[id, hosted] : inducts_)
        if (hosted->trouble.forget(monotonic_now())) publish_state(*hosted, true);
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
