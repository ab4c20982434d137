// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_peer.hpp"

#include "cla/io/tcp_address.hpp"
#include "common/runtime/log/suppressed_lines.hpp"

namespace farlink::cla {

SessionPeer::SessionPeer(SessionConnection &connection, SessionSetup &setup, SessionLimits &limits,
                         LinkHost &host, LinkId link)
    : connection_(connection), setup_(setup), limits_(limits), host_(host), link_(link) {
    identity_.address = address_of_peer(connection_.stream.socket());
}

std::string SessionPeer::judge(TimePoint now) {
    SessionCore &core = *connection_.core;
    const PeerVerdict verdict = setup_.policy.judge(
        {core.peer_node_id(), identity_.address, connection_.stream.peer_names()});
    identity_.node_id = core.peer_node_id();
    identity_.proved = verdict.proved;
    if (connection_.hold && host_.knows(link_, identity_)) {
        connection_.hold->make_known();
        limits_.handle_trusted();
    }
    core.handle_identity(verdict.accepted, now);
    if (!verdict.accepted) {
        if (const auto suppressed = setup_.refusals.admit(now))
            setup_.log.warn("link {}: rejected peer {} at {}: {}{}", link_.value(),
                            identity_.node_id.empty() ? "without a node id" : identity_.node_id,
                            identity_.address, verdict.reason, suppressed_lines_text(*suppressed));
    }
    if (verdict.deviation) host_.on_deviation(link_, identity_, *verdict.deviation);
    return verdict.accepted ? std::string() : verdict.reason;
}

}  // namespace farlink::cla
