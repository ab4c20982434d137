// SPDX-License-Identifier: Apache-2.0
// Reads from an X.509 certificate what farlink uses (RFC 9174 section 4.4.2).
// Plain functions on OpenSSL's certificates, which stay their owner's.
// Any thread.
#pragma once

#include <optional>
#include <string_view>

#include "cla/tls/certificate_names.hpp"

struct x509_st;

namespace farlink::cla {

/// RFC 9174 appendix B, as dotted numbers.
inline constexpr const char *kBundleEidOid = "1.3.6.1.5.5.7.8.11";
inline constexpr const char *kBundleSecurityOid = "1.3.6.1.5.5.7.3.35";

/// The names that a TCPCL entity can have. A node id counts as an otherName BundleEID and, as some
/// authorities still write it, as a URI.
[[nodiscard]] CertificateNames read_names(const x509_st &certificate);

/// Why a certificate is not for bundle nodes; empty when it is. Its key usage, if present, allows
/// signatures; its extended key usage, if present, has id-kp-bundleSecurity or any purpose.
[[nodiscard]] std::optional<std::string_view> find_misuse(x509_st &certificate);

}  // namespace farlink::cla
