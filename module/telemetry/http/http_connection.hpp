// SPDX-License-Identifier: Apache-2.0
// An HTTP connection: reads requests and writes their answers in order.
// Kept alive by its own operations and the server's list; the server's thread only.
// Heads, bodies and times are bounded; pipelined requests wait for their turn.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "module/telemetry/http/host.hpp"
#include "module/telemetry/http/server_tls.hpp"

namespace farlink::telemetry {

/// Serves one client at `address`; registers itself with `host`. `tls`: null without TLS.
void start_http_connection(ConnectionHost &host, boost::asio::ip::tcp::socket socket,
                           const std::string &address, const ServerTls *tls);

}  // namespace farlink::telemetry
