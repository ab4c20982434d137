// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/connections.hpp"

#include <utility>

#include "module/telemetry/http/http_connection.hpp"

#if FARLINK_TLS
#include <boost/beast/ssl.hpp>
#endif

namespace farlink::telemetry {

#if FARLINK_TLS
struct ServerTls::Context {
    asio::ssl::context tls{asio::ssl::context::tls_server};
};

std::string ServerTls::load(const config::ApiTlsConfig &config) {
    context_ = std::make_unique<Context>();
    asio::ssl::context &tls = context_->tls;
    boost::system::error_code error;
    tls.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                        asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                        asio::ssl::context::no_tlsv1_1 | asio::ssl::context::no_compression,
                    error);
    tls.use_certificate_chain_file(config.certificate_file, error);
    if (error) return config.certificate_file + ": " + error.message();
    tls.use_private_key_file(config.key_file, asio::ssl::context::pem, error);
    if (error) return config.key_file + ": " + error.message();
    return {};
}
#else
struct ServerTls::Context {};

std::string ServerTls::load(const config::ApiTlsConfig &) {
    return "this build of farlink has no TLS";
}
#endif

ServerTls::ServerTls() = default;
ServerTls::~ServerTls() = default;

void start_connection(ConnectionHost &host, asio::ip::tcp::socket socket,
                      const std::string &address, const ServerTls *tls) {
#if FARLINK_TLS
    if (tls != nullptr) {
        using Stream = beast::ssl_stream<beast::tcp_stream>;
        Stream stream(beast::tcp_stream(std::move(socket)), tls->context()->tls);
        std::make_shared<HttpConnection<Stream>>(host, std::move(stream), address)->start();
        return;
    }
#endif
    (void)tls;
    using Stream = beast::tcp_stream;
    std::make_shared<HttpConnection<Stream>>(host, Stream(std::move(socket)), address)->start();
}

}  // namespace farlink::telemetry
