// SPDX-License-Identifier: Apache-2.0
// What all sessions of one link have in common: limits, TLS, accepted peers, the protocol.
// Owned by the link and lent to its sessions; the loop's thread.
// Made at start from the link's configuration, which is where wrong TLS files show.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cla/api/session_core.hpp"
#include "cla/session/peer_policy.hpp"
#include "cla/tls/tls_context.hpp"
#include "common/base/result.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::cla {

/// Makes the protocol of a new connection; UpstreamId is its name in ReadBuffer.
using CoreFactory =
    std::function<std::unique_ptr<SessionCore>(const SessionConfig &config, UpstreamId id)>;

struct SessionSetup {
    CoreFactory make_core;
    SessionConfig config;
    PeerPolicy policy;
    std::optional<TlsContext> tls;  ///< unless config.tls is kNone
    std::string expected_host;      ///< that a certificate may prove; empty on the passive side
    BitRate rate_limit;
    Duration idle_limit{};  ///< a session without bundles for so long is ended; 0: never
    /// One of a stranger that has brought no bundle, when nothing comes for so long; 0: never.
    Duration stranger_limit{};
    Logger log{"link"};
    LogLimiter refusals{seconds(1)};  ///< of log lines about rejected peers
};

/// The error is one line that names the file and what is wrong with it.
[[nodiscard]] Result<SessionSetup, std::string> make_session_setup(
    const config::InductConfig &config, CoreFactory make_core);
[[nodiscard]] Result<SessionSetup, std::string> make_session_setup(
    const config::OutductConfig &config, CoreFactory make_core);

/// The limits of a session: as configured, and the default where the configured one is 0.
[[nodiscard]] SessionConfig session_config(const config::LinkOptions &options, SessionRole role);

}  // namespace farlink::cla
