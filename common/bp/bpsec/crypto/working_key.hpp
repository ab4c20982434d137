// SPDX-License-Identifier: Apache-2.0
// A key ready for use: OpenSSL's contexts are made once, not for each bundle.
// Owned by its user; each thread makes its own from the shared secret.
// One thread.
#pragma once

#include <optional>

#include "common/bp/bpsec/crypto/algorithm.hpp"
#include "common/bp/bpsec/crypto/gcm.hpp"
#include "common/bp/bpsec/crypto/hmac.hpp"
#include "common/bp/bpsec/crypto/key_wrap.hpp"
#include "common/bp/bpsec/crypto/random_source.hpp"
#include "common/bp/bpsec/crypto/secret.hpp"

namespace farlink::bp::bpsec {

class WorkingKey {
public:
    WorkingKey(KeyAlgorithm algorithm, ByteView secret);

    [[nodiscard]] KeyAlgorithm algorithm() const { return algorithm_; }

    /// For a received operation: its parameters state the variant, and the wrapped key where there
    /// is one, which only a key encryption key opens.
    [[nodiscard]] Result<Hmac *, Fault> hmac(HashVariant variant,
                                             const std::optional<ByteView> &wrapped);
    [[nodiscard]] Result<Gcm *, Fault> gcm(CipherVariant variant,
                                           const std::optional<ByteView> &wrapped);

    /// For a new operation under a key encryption key: makes a session key, and the parameter that
    /// carries it.
    [[nodiscard]] Result<Hmac *, Fault> session_hmac(HashVariant variant, RandomSource &random,
                                                     Bytes &wrapped);
    [[nodiscard]] Result<Gcm *, Fault> session_gcm(CipherVariant variant, RandomSource &random,
                                                   Bytes &wrapped);

private:
    [[nodiscard]] Hmac &hmac_of(HashVariant variant);
    [[nodiscard]] Gcm &gcm_of(CipherVariant variant);
    [[nodiscard]] Verdict make_session(std::size_t size, RandomSource &random, Secret &session,
                                       Bytes &wrapped);

    KeyAlgorithm algorithm_;
    bool usable_ = false;
    Secret kek_;  ///< of a key encryption key
    KeyWrap wrap_;
    std::optional<Hmac> hmac_;
    std::optional<Gcm> gcm_;
};

}  // namespace farlink::bp::bpsec
