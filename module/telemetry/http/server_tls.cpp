// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/server_tls.hpp"

#if FARLINK_TLS
#include <boost/asio/ssl/context.hpp>
#endif

namespace farlink::telemetry {

#if FARLINK_TLS
namespace ssl = boost::asio::ssl;

std::string ServerTls::load(const config::ApiTlsConfig &config) {
    const auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    boost::system::error_code error;
    context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                             ssl::context::no_sslv3 | ssl::context::no_tlsv1 |
                             ssl::context::no_tlsv1_1 | ssl::context::no_compression,
                         error);
    context->use_certificate_chain_file(config.certificate_file, error);
    if (error) return config.certificate_file + ": " + error.message();
    context->use_private_key_file(config.key_file, ssl::context::pem, error);
    if (error) return config.key_file + ": " + error.message();
    // Connections have a reference to the context that they began with.
    context_ = context;
    return {};
}
#else
std::string ServerTls::load(const config::ApiTlsConfig &) {
    return "this build has no TLS (FARLINK_TLS=OFF): remove `tls`, or use another build";
}
#endif

}  // namespace farlink::telemetry
