// SPDX-License-Identifier: Apache-2.0
// A WebSocket connection: sends updates, and reads the rate that the client sets.
// Kept alive by its own operations and the server's list; the server's thread only.
// Its unsent messages are bounded: the server drops a slow client and never waits for it.
#pragma once

#include "module/telemetry/http/beast.hpp"
#include "module/telemetry/http/host.hpp"
#include "module/telemetry/http/server_stream.hpp"

namespace farlink::telemetry {

/// Answers the upgrade request (RFC 6455 section 4.2); registers itself with `host`.
void start_websocket_connection(ConnectionHost &host, ServerStream stream,
                                const HttpRequest &request, const std::string &address);

}  // namespace farlink::telemetry
