// SPDX-License-Identifier: Apache-2.0
// An HTTP connection: reads a request, has it served, writes the answer, and reads the next.
// Kept alive by its own operations and the server's list; the server's thread only.
// Heads, bodies and time are bounded; requests that are sent ahead wait for their turn.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "module/telemetry/http/host.hpp"
#include "module/telemetry/http/server_tls.hpp"

namespace farlink::telemetry {

/// Serves one client, which is at `address`; it keeps itself with `host`. `tls`: null for a
/// connection in the clear.
void start_http_connection(ConnectionHost &host, boost::asio::ip::tcp::socket socket,
                           const std::string &address, const ServerTls *tls);

}  // namespace farlink::telemetry
