// SPDX-License-Identifier: Apache-2.0
// The peer of one session: its address, what it announces, and whether that is accepted.
// Owned by a SessionDriver, which lends the connection, the setup and the limits.
// The loop's thread.
#pragma once

#include <string>

#include "cla/api/link.hpp"
#include "cla/session/session_connection.hpp"
#include "cla/session/session_limits.hpp"
#include "cla/session/session_setup.hpp"

namespace farlink::cla {

class SessionPeer {
public:
    SessionPeer(SessionConnection &connection, SessionSetup &setup, SessionLimits &limits,
                LinkHost &host, LinkId link);

    [[nodiscard]] const PeerIdentity &identity() const { return identity_; }
    /// It is a neighbour of the configuration, or has proved its node id.
    [[nodiscard]] bool known() const { return connection_.hold && connection_.hold->known(); }
    /// It has announced itself: reports to the protocol whether it is accepted, and to the host a
    /// deviation. Returns why it is rejected, or nothing.
    [[nodiscard]] std::string judge(TimePoint now);

private:
    SessionConnection &connection_;
    SessionSetup &setup_;
    SessionLimits &limits_;
    LinkHost &host_;
    LinkId link_;
    PeerIdentity identity_;
};

}  // namespace farlink::cla
