// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/tls_error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#if FARLINK_TLS
#include <openssl/err.h>
#include <openssl/ssl.h>
#endif

namespace farlink::cla::tls_error_test {
namespace {

TEST(TlsError, SpeaksForTheSystem) {
    EXPECT_EQ(system_error_text(ECONNRESET), "Connection reset by peer");
}

#if FARLINK_TLS

TEST(TlsError, TellsThePeersRefusalFromOnesOwn) {
    const auto code = [](int reason) { return ERR_PACK(ERR_LIB_SSL, 0, reason); };
    EXPECT_EQ(tls_error_text(code(SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED)),
              "the peer sent a TLS alert: certificate expired");
    EXPECT_EQ(tls_error_text(code(SSL_R_TLSV1_ALERT_UNKNOWN_CA)),
              "the peer sent a TLS alert: unknown CA");
    EXPECT_EQ(tls_error_text(code(SSL_R_UNSUPPORTED_PROTOCOL)), "unsupported protocol");
    EXPECT_EQ(tls_error_text(code(ERR_R_PEM_LIB)), "PEM lib");
}

TEST(TlsError, NamesTheAlertsOfTls13) {
    const auto alert = [](int number) {
        return tls_error_text(ERR_PACK(ERR_LIB_SSL, 0, SSL_AD_REASON_OFFSET + number));
    };
    const std::string begin = "the peer sent a TLS alert: ";
    EXPECT_EQ(alert(86), begin + "inappropriate fallback to an older version of TLS");
    EXPECT_EQ(alert(109), begin + "missing extension");
    EXPECT_EQ(alert(116), begin +
                              "certificate required: this side has sent none; give the link "
                              "a cert and its key");
    EXPECT_EQ(alert(120), begin + "no application protocol in common");
    EXPECT_EQ(alert(200), begin + "number 200");
}

TEST(TlsError, AlwaysHasWords) {
    EXPECT_EQ(tls_error_text(ERR_PACK(ERR_LIB_USER, 0, 77)).substr(0, 10), "TLS error ");
}

#endif  // FARLINK_TLS

}  // namespace
}  // namespace farlink::cla::tls_error_test
