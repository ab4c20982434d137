// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/access/token_digest.hpp"

#if FARLINK_TLS
#include <openssl/crypto.h>
#include <openssl/evp.h>
#endif

namespace farlink::telemetry {

#if FARLINK_TLS
std::optional<TokenDigest> digest_of(std::string_view token) {
    TokenDigest digest{};
    unsigned size = 0;
    const int done =
        EVP_Digest(token.data(), token.size(), digest.data(), &size, EVP_sha256(), nullptr);
    if (done != 1 || size != digest.size()) return std::nullopt;
    return digest;
}

bool same_digest(const TokenDigest &one, const TokenDigest &other) {
    return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}
#else
std::optional<TokenDigest> digest_of(std::string_view) {
    return std::nullopt;
}

bool same_digest(const TokenDigest &, const TokenDigest &) {
    return false;
}
#endif

}  // namespace farlink::telemetry
