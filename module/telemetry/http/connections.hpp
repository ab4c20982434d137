// SPDX-License-Identifier: Apache-2.0
// Begins connections, and TLS on them: the one place that knows of Beast's streams by their types.
// Functions of the server; its thread only.
// Without OpenSSL there are connections in the clear only.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>

#include "common/config/api_config.hpp"
#include "module/telemetry/http/host.hpp"

namespace farlink::telemetry {

/// The server's certificate and key, once loaded.
class ServerTls {
public:
    ServerTls();
    ~ServerTls();
    ServerTls(const ServerTls &) = delete;
    ServerTls &operator=(const ServerTls &) = delete;

    /// What is wrong with the files, or nothing.
    [[nodiscard]] std::string load(const config::ApiTlsConfig &config);

    struct Context;
    [[nodiscard]] Context *context() const { return context_.get(); }

private:
    std::unique_ptr<Context> context_;
};

/// Serves one client; it keeps itself with `host`.
void start_connection(ConnectionHost &host, boost::asio::ip::tcp::socket socket,
                      const std::string &address, const ServerTls *tls);

}  // namespace farlink::telemetry
