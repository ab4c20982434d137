// SPDX-License-Identifier: Apache-2.0
// The reasons of OpenSSL and of the system in an operator's words.
// Plain functions; the result is a value.
// Any thread.
#pragma once

#include <string>

namespace farlink::cla {

/// "Connection reset by peer"
[[nodiscard]] std::string system_error_text(int error);
/// A code from OpenSSL's error queue is an alert of the peer.
[[nodiscard]] bool is_peer_alert(unsigned long code);
/// Of a code from OpenSSL's error queue: "the peer refused: certificate expired".
[[nodiscard]] std::string tls_error_text(unsigned long code);
/// Empties OpenSSL's error queue after a file did not hold the certificate or private key that was
/// wanted: "holds no certificate in PEM form".
[[nodiscard]] std::string pem_error_text(const char *wanted);
/// Of a verify result: "the peer's certificate is refused: certificate has expired".
[[nodiscard]] std::string verify_error_text(long result);

}  // namespace farlink::cla
