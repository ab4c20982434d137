// SPDX-License-Identifier: Apache-2.0
#include "cla/host/tls_error.hpp"

#include <system_error>

#if FARLINK_TLS
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#endif

namespace farlink::cla {

std::string system_error_text(int error) {
    return std::generic_category().message(error);
}

#if FARLINK_TLS

std::string tls_error_text(unsigned long code) {
    const int reason = ERR_GET_REASON(code);
    if (ERR_SYSTEM_ERROR(code)) return system_error_text(reason);
    // OpenSSL numbers the alerts that it receives from here on.
    if (ERR_GET_LIB(code) == ERR_LIB_SSL && reason > SSL_AD_REASON_OFFSET)
        return std::string("the peer refused: ") +
               SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET);
    const char *const text = ERR_reason_error_string(code);
    return text != nullptr ? std::string(text) : "TLS error " + std::to_string(code);
}

std::string verify_error_text(long result) {
    return std::string("the peer's certificate is refused: ") +
           X509_verify_cert_error_string(result);
}

#endif  // FARLINK_TLS

}  // namespace farlink::cla
