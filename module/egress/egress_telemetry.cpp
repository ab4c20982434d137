// SPDX-License-Identifier: Apache-2.0
// What telemetry hears of egress and its links.
#include <utility>

#include "common/bus/loop/telemetry_reports.hpp"
#include "module/egress/egress_agent.hpp"

namespace farlink::egress {
namespace {

/// Of why a session ended, as the peer or a library says it.
constexpr std::size_t kLongestDetail = 200;

}  // namespace

void EgressAgent::on_report() {
    bus::send_link_reports(loop_, loop_.self(), core_.tallies());
    if (reported_.take(core_.counters().values())) report_counters(false);
}

// What a session that the neighbour has opened is, ingress tells.
void EgressAgent::publish_state(LinkId id, HostedLink &link, std::string_view reason) {
    if (link.relayed != nullptr) return;
    link.published = reason;
    loop_.send(bus::AgentId::kTelemetry,
               bus::LinkInfo{.module = loop_.self(),
                             .kind = bus::LinkKind::kOutduct,
                             .connected = link.state == cla::LinkState::kConnected,
                             .link = id,
                             .neighbour = link.neighbour,
                             .url = {link.name.begin(), link.name.end()},
                             .reason = {reason.begin(), reason.end()}});
}

void EgressAgent::on_ending(LinkId id, const cla::PeerIdentity &, std::string_view detail) {
    if (HostedLink *link = hosted(id); link != nullptr) link->detail = detail;
}

// A connection that never became a session is tried again and again: the same reason is logged
// once.
void EgressAgent::publish_reason(LinkId id, HostedLink &link, bool was_up, cla::LinkFault fault) {
    std::string why(fault == cla::LinkFault::kNone ? "" : cla::in_words(fault));
    if (const std::string detail = std::exchange(link.detail, {}); !detail.empty())
        why += ": " + detail.substr(0, kLongestDetail);
    publish_state(id, link, why);
    if (was_up) {
        if (const auto held_back = link_log_.admit(monotonic_now()))
            log_.info("link {} to node {}: disconnected: {}{}", id.value(), link.neighbour.value(),
                      why.empty() ? cla::in_words(fault) : why, held_back_words(*held_back));
        return;
    }
    if (!why.empty()) warn_once(id, link, "no session with", why);
}

void EgressAgent::warn_once(LinkId id, HostedLink &link, std::string_view what,
                            std::string_view why) {
    if (link.unreachable == why) return;
    const auto held_back = link_log_.admit(monotonic_now());
    if (!held_back) return;
    link.unreachable = why;
    log_.warn("link {} to node {}: {} {}: {}; tries again{}", id.value(), link.neighbour.value(),
              what, link.name, why, held_back_words(*held_back));
}

void EgressAgent::report_counters(bool last) {
    bus::send_link_reports(loop_, loop_.self(), core_.tallies());
    const auto values = core_.counters().values();
    loop_.send(bus::AgentId::kTelemetry,
               bus::CounterReport{loop_.self(), ++reports_, {values.begin(), values.end()}, last});
}

void EgressAgent::on_deviation(LinkId link, const cla::PeerIdentity &peer,
                               cla::ProtocolDeviation deviation) {
    const auto kind = static_cast<std::size_t>(deviation);
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
