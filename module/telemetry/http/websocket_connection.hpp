// SPDX-License-Identifier: Apache-2.0
// A WebSocket client: gets updates, and may say how many a second.
// Kept alive by its own operations and the server's list; the server's thread only.
// What it has not taken is bounded: the server drops it, and never waits for it.
#pragma once

#include "module/telemetry/http/beast.hpp"
#include "module/telemetry/http/host.hpp"
#include "module/telemetry/http/server_stream.hpp"

namespace farlink::telemetry {

/// Answers the request, which asks for an upgrade (RFC 6455 section 4.2); it keeps itself with
/// `host`.
void start_websocket_connection(ConnectionHost &host, ServerStream stream,
                                const HttpRequest &request, const std::string &address);

}  // namespace farlink::telemetry
