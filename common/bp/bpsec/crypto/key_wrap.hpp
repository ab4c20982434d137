// SPDX-License-Identifier: Apache-2.0
// AES key wrap (RFC 3394) by OpenSSL: a session key travels under a key encryption key.
// Owned by its user.
// One thread.
#pragma once

#include <optional>

#include "common/bp/bpsec/crypto/openssl.hpp"
#include "common/bp/bpsec/crypto/secret.hpp"

namespace farlink::bp::bpsec {

/// Octets that wrapping adds.
inline constexpr std::size_t kWrapOverhead = 8;

class KeyWrap {
public:
    KeyWrap() : context_(EVP_CIPHER_CTX_new()) {}

    /// `kek` has 16, 24 or 32 octets. The key is a multiple of 8 octets, 16 at least.
    [[nodiscard]] std::optional<Bytes> wrap(ByteView kek, ByteView key);
    /// False when `wrapped` is not what this key has wrapped.
    [[nodiscard]] bool unwrap(ByteView kek, ByteView wrapped, Secret &key);

private:
    [[nodiscard]] bool begin(ByteView kek, int encrypt);

    CipherContext context_;
};

}  // namespace farlink::bp::bpsec
