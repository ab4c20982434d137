// SPDX-License-Identifier: Apache-2.0
// What telemetry hears of the sessions that neighbours have opened.
#include "module/ingress/neighbour_sessions.hpp"

namespace farlink::ingress {

void NeighbourSessions::count_received(UpstreamId session, std::uint64_t bundles,
                                       std::uint64_t bytes) {
    const auto node = node_of_session_.find(session);
    if (node == node_of_session_.end()) return;
    const Link &link = links_.at(node->second);
    if (link.session != session) return;
    telemetry::LinkCounters &counts = tallies_.change(*link.tally);
    counts.add(telemetry::LinkCounter::kReceived, bundles);
    counts.add(telemetry::LinkCounter::kReceivedBytes, bytes);
}

void NeighbourSessions::publish_state(const Link &link, std::string_view reason) {
    infos_.push_back({.module = bus::instance_at(bus::AgentId::kIngress, instance_),
                      .kind = bus::LinkKind::kSession,
                      .connected = link.session != kNoUpstream && !link.lost,
                      .link = link.id,
                      .neighbour = link.node,
                      .url = {link.url.begin(), link.url.end()},
                      .reason = {reason.begin(), reason.end()}});
}

void NeighbourSessions::publish_all_again() {
    for (const auto &[node, link] : links_) publish_state(link);
    unproved_.for_each([this](UpstreamId session) {
        if (auto info = unproved_.info(session)) infos_.push_back(std::move(*info));
    });
}

std::optional<bus::LinkInfo> NeighbourSessions::poll_info() {
    if (infos_.empty()) return std::nullopt;
    return infos_.pop_front();
}

}  // namespace farlink::ingress
