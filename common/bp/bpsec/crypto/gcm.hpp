// SPDX-License-Identifier: Apache-2.0
// AES-GCM with tags of 128 bits by OpenSSL, keyed once and used for many bundles.
// Owned by its user; nothing is allocated after the key is set.
// One thread.
#pragma once

#include "common/base/bytes.hpp"
#include "common/bp/bpsec/block/context.hpp"
#include "common/bp/bpsec/crypto/openssl.hpp"

namespace farlink::bp::bpsec {

enum class Direction : std::uint8_t { kDecrypt = 0, kEncrypt = 1 };

class Gcm {
public:
    explicit Gcm(CipherVariant variant);

    [[nodiscard]] CipherVariant variant() const { return variant_; }
    /// Of cipher_key_bytes(), for all that follows.
    [[nodiscard]] bool set_key(ByteView key);

    /// begin(), add_aad() any number of times, transform() likewise, and one of the two ends.
    void begin(Direction direction, ByteView iv);
    void add_aad(ByteView octets);
    /// From `from` to `to`, which is as long and may be the same memory.
    void transform(ByteView from, std::uint8_t *to);
    /// Writes kTagBytes; false when anything failed since begin().
    [[nodiscard]] bool finish(MutableBytes tag);
    enum class Match : std::uint8_t { kYes, kNo, kError };
    /// Compares the tag, in constant time.
    [[nodiscard]] Match finish_with(ByteView tag);

private:
    CipherVariant variant_;
    CipherContext context_;
    bool good_ = false;
};

}  // namespace farlink::bp::bpsec
