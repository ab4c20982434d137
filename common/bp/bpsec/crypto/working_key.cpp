// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/crypto/working_key.hpp"

namespace farlink::bp::bpsec {
namespace {

HashVariant hash_of(KeyAlgorithm algorithm) {
    return algorithm == KeyAlgorithm::kHmacSha256   ? HashVariant::kSha256
           : algorithm == KeyAlgorithm::kHmacSha384 ? HashVariant::kSha384
                                                    : HashVariant::kSha512;
}

CipherVariant cipher_variant_of(KeyAlgorithm algorithm) {
    return algorithm == KeyAlgorithm::kA128Gcm ? CipherVariant::kA128Gcm : CipherVariant::kA256Gcm;
}

}  // namespace

WorkingKey::WorkingKey(KeyAlgorithm algorithm, ByteView secret) : algorithm_(algorithm) {
    if (!is_usable_length(algorithm, secret.size())) return;
    if (is_wrapping(algorithm)) {
        kek_ = Secret(secret);
        usable_ = true;
    } else if (is_for_integrity(algorithm)) {
        usable_ = hmac_of(hash_of(algorithm)).set_key(secret);
    } else {
        usable_ = gcm_of(cipher_variant_of(algorithm)).set_key(secret);
    }
}

Hmac &WorkingKey::hmac_of(HashVariant variant) {
    if (!hmac_ || hmac_->variant() != variant) hmac_.emplace(variant);
    return *hmac_;
}

Gcm &WorkingKey::gcm_of(CipherVariant variant) {
    if (!gcm_ || gcm_->variant() != variant) gcm_.emplace(variant);
    return *gcm_;
}

Result<Hmac *, Fault> WorkingKey::hmac(HashVariant variant,
                                       const std::optional<ByteView> &wrapped) {
    if (!usable_) return fail(Fault::kWrongKey);
    if (!wrapped) {
        if (algorithm_ != algorithm_of(variant)) return fail(Fault::kWrongKey);
        return &*hmac_;
    }
    if (algorithm_ != KeyAlgorithm::kWrapIntegrity) return fail(Fault::kWrongKey);
    Secret session;
    if (!wrap_.unwrap(kek_.octets(), *wrapped, session)) return fail(Fault::kUnwrapFailed);
    Hmac &hmac = hmac_of(variant);
    if (!hmac.set_key(session.octets())) return fail(Fault::kCryptography);
    return &hmac;
}

Result<Gcm *, Fault> WorkingKey::gcm(CipherVariant variant,
                                     const std::optional<ByteView> &wrapped) {
    if (!usable_) return fail(Fault::kWrongKey);
    if (!wrapped) {
        if (algorithm_ != algorithm_of(variant)) return fail(Fault::kWrongKey);
        return &*gcm_;
    }
    if (algorithm_ != KeyAlgorithm::kWrapConfidentiality) return fail(Fault::kWrongKey);
    Secret session;
    if (!wrap_.unwrap(kek_.octets(), *wrapped, session)) return fail(Fault::kUnwrapFailed);
    if (session.size() != cipher_key_bytes(variant)) return fail(Fault::kWrongKey);
    Gcm &gcm = gcm_of(variant);
    if (!gcm.set_key(session.octets())) return fail(Fault::kCryptography);
    return &gcm;
}

Verdict WorkingKey::make_session(std::size_t size, RandomSource &random, Secret &session,
                                 Bytes &wrapped) {
    random.fill(session.resize(size));
    auto octets = wrap_.wrap(kek_.octets(), session.octets());
    if (!octets) return fail(Fault::kCryptography);
    wrapped = std::move(*octets);
    return {};
}

Result<Hmac *, Fault> WorkingKey::session_hmac(HashVariant variant, RandomSource &random,
                                               Bytes &wrapped) {
    if (!usable_ || algorithm_ != KeyAlgorithm::kWrapIntegrity) return fail(Fault::kWrongKey);
    Secret session;
    if (const Verdict made = make_session(hash_bytes(variant), random, session, wrapped); !made)
        return fail(made.error());
    Hmac &hmac = hmac_of(variant);
    if (!hmac.set_key(session.octets())) return fail(Fault::kCryptography);
    return &hmac;
}

Result<Gcm *, Fault> WorkingKey::session_gcm(CipherVariant variant, RandomSource &random,
                                             Bytes &wrapped) {
    if (!usable_ || algorithm_ != KeyAlgorithm::kWrapConfidentiality) return fail(Fault::kWrongKey);
    Secret session;
    if (const Verdict made = make_session(cipher_key_bytes(variant), random, session, wrapped);
        !made)
        return fail(made.error());
    Gcm &gcm = gcm_of(variant);
    if (!gcm.set_key(session.octets())) return fail(Fault::kCryptography);
    return &gcm;
}

}  // namespace farlink::bp::bpsec
