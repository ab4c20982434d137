// SPDX-License-Identifier: Apache-2.0
// What a key is for. A key has one algorithm, since one key for two would weaken both; a key
// encryption key serves one security context (RFC 9173 section 6.2).
// Values; any thread.
#pragma once

#include <cstdint>

#include "common/bp/bpsec/block/context.hpp"

namespace farlink::bp::bpsec {

enum class KeyAlgorithm : std::uint8_t {
    kHmacSha256,
    kHmacSha384,
    kHmacSha512,
    kA128Gcm,
    kA256Gcm,
    kWrapIntegrity,        ///< wraps HMAC keys
    kWrapConfidentiality,  ///< wraps AES keys
};

[[nodiscard]] constexpr KeyAlgorithm algorithm_of(HashVariant variant) {
    return variant == HashVariant::kSha256   ? KeyAlgorithm::kHmacSha256
           : variant == HashVariant::kSha384 ? KeyAlgorithm::kHmacSha384
                                             : KeyAlgorithm::kHmacSha512;
}
[[nodiscard]] constexpr KeyAlgorithm algorithm_of(CipherVariant variant) {
    return variant == CipherVariant::kA128Gcm ? KeyAlgorithm::kA128Gcm : KeyAlgorithm::kA256Gcm;
}
[[nodiscard]] constexpr bool is_wrapping(KeyAlgorithm algorithm) {
    return algorithm >= KeyAlgorithm::kWrapIntegrity;
}
[[nodiscard]] constexpr bool is_for_integrity(KeyAlgorithm algorithm) {
    return algorithm <= KeyAlgorithm::kHmacSha512 || algorithm == KeyAlgorithm::kWrapIntegrity;
}

/// Shorter HMAC keys are not taken.
inline constexpr std::size_t kLeastHmacKeyBytes = 16;

/// Whether a key of this many octets can be used at all. RFC 9173 section 3.5 asks for an HMAC key
/// as long as the output, and its appendix has shorter ones: any length from 16 octets on works.
[[nodiscard]] constexpr bool is_usable_length(KeyAlgorithm algorithm, std::size_t octets) {
    switch (algorithm) {
        case KeyAlgorithm::kA128Gcm:
            return octets == 16;
        case KeyAlgorithm::kA256Gcm:
            return octets == 32;
        case KeyAlgorithm::kWrapIntegrity:
        case KeyAlgorithm::kWrapConfidentiality:
            return octets == 16 || octets == 24 || octets == 32;
        default:
            return octets >= kLeastHmacKeyBytes && octets <= 128;
    }
}

}  // namespace farlink::bp::bpsec
