// SPDX-License-Identifier: Apache-2.0
// HMAC with SHA-2 (RFC 2104) by OpenSSL, keyed once and used for many bundles.
// Owned by one thread. OpenSSL 3.0 copies two digest states for each use; nothing else is
// allocated.
#pragma once

#include "common/base/bytes.hpp"
#include "common/bp/bpsec/block/context.hpp"
#include "common/bp/bpsec/crypto/openssl.hpp"

namespace farlink::bp::bpsec {

class Hmac {
public:
    explicit Hmac(HashVariant variant);

    [[nodiscard]] HashVariant variant() const { return variant_; }
    /// For all that follows; false when OpenSSL refuses it.
    [[nodiscard]] bool set_key(ByteView key);

    /// begin(), add() any number of times, and one of the two ends.
    void begin();
    void add(ByteView octets);
    /// Writes hash_bytes() octets; false when anything failed since begin().
    [[nodiscard]] bool finish(MutableBytes value);

private:
    HashVariant variant_;
    MacContext context_;
    bool good_ = false;
};

}  // namespace farlink::bp::bpsec
