// SPDX-License-Identifier: Apache-2.0
// Begins TLS on the connection of a session and carries its handshake on.
// Owned by a SessionDriver, which lends the connection and the setup.
// The loop's thread.
#pragma once

#include <string>

#include "cla/session/session_connection.hpp"
#include "cla/session/session_setup.hpp"
#include "common/base/types.hpp"

namespace farlink::cla {

class SessionHandshake {
public:
    SessionHandshake(SessionConnection &connection, SessionSetup &setup, LinkId link)
        : connection_(connection), setup_(setup), link_(link) {}

    /// With the certificates of now; follow with proceed().
    void begin(TimePoint now);
    [[nodiscard]] StreamStatus proceed();
    /// proceed() has failed, with the peer at `address`.
    void log_failure(const std::string &address, TimePoint now);

private:
    SessionConnection &connection_;
    SessionSetup &setup_;
    LinkId link_;
};

}  // namespace farlink::cla
