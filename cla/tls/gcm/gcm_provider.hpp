// SPDX-License-Identifier: Apache-2.0
// Offers the AES-GCM of fast_gcm() to OpenSSL, by OpenSSL's own interface for providers of ciphers.
// A table of functions that OpenSSL calls; it keeps nothing but what each cipher context owns.
// Any thread; a cipher context is one thread's at a time, as OpenSSL promises.
#pragma once

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <openssl/types.h>

namespace farlink::cla {

inline constexpr const char *kGcmProvider = "farlink";
/// The property query that takes what this provider has, and all else from where it is. By a
/// property of its own: `provider` would overrule what openssl.cnf says about providers.
inline constexpr const char *kGcmProviderPreferred = "?x.farlink=yes";

/// Makes the provider known to `library` under its name. fast_gcm() has a value.
[[nodiscard]] bool add_gcm_provider(OSSL_LIB_CTX *library);

}  // namespace farlink::cla

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
