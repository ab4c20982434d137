// SPDX-License-Identifier: Apache-2.0
// What telemetry hears of egress and its links.
#include "common/bus/telemetry_reports.hpp"
#include "module/egress/egress_agent.hpp"

namespace farlink::egress {

void EgressAgent::on_report() {
    bus::send_link_reports(loop_, loop_.self(), core_.tallies());
    if (reported_.take(core_.counters().values())) report_counters(false);
}

// What a session that the neighbour has opened is, ingress tells.
void EgressAgent::tell_of(LinkId id, const HostedLink &link, std::string_view reason) {
    if (link.relayed != nullptr) return;
    loop_.send(bus::AgentId::kTelemetry,
               bus::LinkInfo{.module = loop_.self(),
                             .kind = bus::LinkKind::kOutduct,
                             .connected = link.state == cla::LinkState::kConnected,
                             .link = id,
                             .neighbour = link.neighbour,
                             .url = {link.name.begin(), link.name.end()},
                             .reason = {reason.begin(), reason.end()}});
}

void EgressAgent::report_counters(bool last) {
    bus::send_link_reports(loop_, loop_.self(), core_.tallies());
    const auto values = core_.counters().values();
    loop_.send(bus::AgentId::kTelemetry,
               bus::CounterReport{loop_.self(), ++reports_, {values.begin(), values.end()}, last});
}

void EgressAgent::on_departure(LinkId link, const cla::PeerIdentity &peer,
                               cla::Departure departure) {
    const auto kind = static_cast<std::size_t>(departure);
    core_.counters().increment(EgressCounter::kDeparture, kind);
    if (hosted(link) == nullptr) return;
    core_.tallies()
        .of(link, peer.node_id.empty() ? peer.address : peer.node_id)
        .increment(telemetry::LinkCounter::kDeparture, kind);
}

void EgressAgent::on_counted(LinkId link, const cla::PeerIdentity &peer,
                             std::span<const std::uint64_t> more) {
    if (hosted(link) != nullptr)
        core_.tallies().of(link, peer.node_id).add(telemetry::LinkCounter::kLtp, more);
}

void EgressAgent::on_datagrams_lost(LinkId link, std::uint64_t datagrams) {
    if (hosted(link) != nullptr)
        core_.tallies().of(link, {}).add(telemetry::LinkCounter::kDatagramsLost, datagrams);
}

}  // namespace farlink::egress
