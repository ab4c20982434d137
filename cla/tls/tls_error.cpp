// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/tls_error.hpp"

#include <system_error>

#if FARLINK_TLS
#include <openssl/decodererr.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#endif

namespace farlink::cla {

std::string system_error_text(int error) {
    return std::generic_category().message(error);
}

#if FARLINK_TLS

namespace {

/// OpenSSL numbers the alerts that it receives from SSL_AD_REASON_OFFSET on.
constexpr int kAlerts = 256;

bool is_error(unsigned long code, int library, int reason) {
    return ERR_GET_LIB(code) == library && ERR_GET_REASON(code) == reason;
}

/// The codes, of several libraries, for a file that does not hold the object.
bool finds_nothing(unsigned long code) {
    return is_error(code, ERR_LIB_PEM, PEM_R_NO_START_LINE) ||
           is_error(code, ERR_LIB_X509, X509_R_NO_CERTIFICATE_OR_CRL_FOUND) ||
           is_error(code, ERR_LIB_OSSL_DECODER, ERR_R_UNSUPPORTED);
}

/// The alerts of TLS 1.3 and its extensions that OpenSSL does not name (RFC 8446 section 6).
std::string alert_text(int alert) {
    switch (alert) {
        case TLS1_AD_INAPPROPRIATE_FALLBACK:
            return "inappropriate fallback to an older version of TLS";
        case TLS13_AD_MISSING_EXTENSION:
            return "missing extension";
        case TLS13_AD_CERTIFICATE_REQUIRED:
            return "certificate required: this side has sent none; give the link a cert and its "
                   "key";
        case TLS1_AD_NO_APPLICATION_PROTOCOL:
            return "no application protocol in common";
        default:
            break;
    }
    const std::string name = SSL_alert_desc_string_long(alert);
    return name == "unknown" ? "number " + std::to_string(alert) : name;
}

}  // namespace

bool is_peer_alert(unsigned long code) {
    const int alert = ERR_GET_REASON(code) - SSL_AD_REASON_OFFSET;
    return ERR_SYSTEM_ERROR(code) == 0 && ERR_GET_LIB(code) == ERR_LIB_SSL && alert > 0 &&
           alert < kAlerts;
}

std::string tls_error_text(unsigned long code) {
    // The texts are loaded with the first context otherwise.
    OPENSSL_init_ssl(OPENSSL_INIT_LOAD_SSL_STRINGS | OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr);
    const int reason = ERR_GET_REASON(code);
    if (ERR_SYSTEM_ERROR(code)) return system_error_text(reason);
    if (is_peer_alert(code))
        return "the peer sent a TLS alert: " + alert_text(reason - SSL_AD_REASON_OFFSET);
    const char *const text = ERR_reason_error_string(code);
    return text != nullptr ? std::string(text) : "TLS error " + std::to_string(code);
}

std::string pem_error_text(const char *wanted) {
    const unsigned long first = ERR_peek_error();
    bool nothing = false;
    bool locked = false;
    while (const unsigned long code = ERR_get_error()) {
        nothing = nothing || finds_nothing(code);
        locked = locked || is_error(code, ERR_LIB_PEM, PEM_R_BAD_PASSWORD_READ);
    }
    if (locked) return "is protected by a password, which farlink does not support";
    if (nothing) return std::string("contains no ") + wanted + " in PEM form";
    return "cannot be used as a " + std::string(wanted) + ": " + tls_error_text(first);
}

std::string verify_error_text(long result) {
    return std::string("the peer's certificate is refused: ") +
           X509_verify_cert_error_string(result);
}

#endif  // FARLINK_TLS

}  // namespace farlink::cla
