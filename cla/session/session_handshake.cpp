// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_handshake.hpp"

#include "common/base/invariant.hpp"
#include "common/runtime/log/suppressed_lines.hpp"

namespace farlink::cla {

using Tls = SessionConnection::Tls;

void SessionHandshake::begin(TimePoint now) {
    FARLINK_INVARIANT(setup_.tls.has_value());
    const TlsRefresh refresh = setup_.tls->refresh(now);
    if (refresh.reloaded) setup_.log.info("link {}: certificates reloaded", link_.value());
    if (!refresh.failure.empty())
        setup_.log.error("link {}: cannot reload certificates; the previous ones stay in use: {}",
                         link_.value(), refresh.failure);
    connection_.tls = Tls::kHandshake;
    connection_.stream.start_tls(*setup_.tls, setup_.config.role, setup_.expected_host);
}

StreamStatus SessionHandshake::proceed() {
    const StreamStatus status = connection_.stream.handshake();
    if (status == StreamStatus::kOk) connection_.tls = Tls::kDone;
    return status;
}

void SessionHandshake::log_failure(const std::string &address, TimePoint now) {
    if (const auto suppressed = setup_.refusals.admit(now))
        setup_.log.warn("link {}: TLS handshake with {} failed: {}{}", link_.value(), address,
                        connection_.stream.reason(), suppressed_lines_text(*suppressed));
}

}  // namespace farlink::cla
