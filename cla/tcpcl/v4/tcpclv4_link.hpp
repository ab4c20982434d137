// SPDX-License-Identifier: Apache-2.0
// TCPCLv4 (RFC 9174) as a layer of links: what SessionInduct and SessionOutduct run.
// A plain function; the session belongs to the caller.
// Called on the loop's thread.
#pragma once

#include <memory>

#include "cla/api/session_core.hpp"

namespace farlink::cla::tcpclv4 {

[[nodiscard]] std::unique_ptr<SessionCore> make_session(const SessionConfig &config, UpstreamId id);

}  // namespace farlink::cla::tcpclv4
