// SPDX-License-Identifier: Apache-2.0
// The server's certificate and key.
// Owned by the server, for longer than its connections; its thread only.
// A build without OpenSSL cannot load them.
#pragma once

#include <memory>
#include <string>

#include "common/config/operations/api_config.hpp"

namespace boost::asio::ssl {
class context;
}

namespace farlink::telemetry {

class ServerTls {
public:
    /// Loads the files, for connections that begin from now on; returns an error, and then the old
    /// ones stay, or an empty text.
    [[nodiscard]] std::string load(const config::ApiTlsConfig &config);
    /// Once loaded.
    [[nodiscard]] boost::asio::ssl::context &context() const { return *context_; }

private:
    std::shared_ptr<boost::asio::ssl::context> context_;
};

}  // namespace farlink::telemetry
