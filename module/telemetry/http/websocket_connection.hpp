// SPDX-License-Identifier: Apache-2.0
// The WebSocket connections: for updates, and for the bundles of an application.
// Kept alive by their own operations and the server's list; the server's thread only.
// What waits is bounded: the server drops a slow client and never waits for it.
#pragma once

#include "module/telemetry/http/beast.hpp"
#include "module/telemetry/http/host.hpp"
#include "module/telemetry/http/server_stream.hpp"

namespace farlink::telemetry {

/// Answers the upgrade request (RFC 6455 section 4.2); registers itself with `host`. It sends
/// updates, and reads the rate that the client sets.
void start_websocket_connection(ConnectionHost &host, ServerStream stream,
                                const HttpRequest &request, const std::string &address);
/// The same for a watcher of bundles, which sends nothing.
void start_watch_connection(ConnectionHost &host, ServerStream stream, const HttpRequest &request,
                            const std::string &address, WatchRequest wanted);

/// The same for sending and receiving bundles (docs/formats/messages.md). `caller` has the token.
void start_message_connection(ConnectionHost &host, ServerStream stream, const HttpRequest &request,
                              const std::string &address, const Call &caller,
                              MessagesRequest wanted);

}  // namespace farlink::telemetry
