// SPDX-License-Identifier: Apache-2.0
// BCB-AES-GCM (RFC 9173 section 4) on a bundle: encrypt, authenticate, decrypt.
// Functions that change the bundle they are given, or only read it; a fault leaves the bundle as it
// was. One thread, that of the key.
#pragma once

#include "common/bp/bpsec/integrity.hpp"

namespace farlink::bp::bpsec {

/// Memory for the payload that an operation makes: pieces that together are as large as the
/// payload, elsewhere or the very memory of the payload's own pieces, in which case a fault leaves
/// that memory overwritten. Without any, the bundle owns a copy.
using PayloadRoom = std::span<const MutableBytes>;

struct EncryptRequest {
    std::span<const std::uint64_t> targets;  ///< the payload, extension blocks; a BIB of these
    NewBlock block;
    CipherVariant variant = CipherVariant::kA128Gcm;  ///< of the key, or of a new session key
    /// One BCB for all targets, and so one initialization vector for all of them: AES-GCM loses its
    /// secrecy where two texts share one (RFC 9173 section 4.6). Only for the bundles of RFC 9173's
    /// appendix. Otherwise each target has a BCB of its own, and `block.number` is the first's.
    bool one_block = false;
    /// Behind the ciphertext in place of a result.
    bool tag_in_target = false;
};

/// Adds BCBs, removes the CRCs of their targets, and encrypts the BIBs of these targets as well
/// (RFC 9172 section 3.9): a BIB with other targets too is divided first.
[[nodiscard]] Verdict encrypt(SecuredBundle &bundle, const EncryptRequest &request, WorkingKey &key,
                              IvSource &ivs, RandomSource &random, PayloadRoom room = {});

/// Checks the tag of one operation without a change, for a verifier.
[[nodiscard]] Verdict authenticate(const SecuredBundle &bundle, const Operation &operation,
                                   WorkingKey &key);

/// Checks the tag, puts the plaintext in the target's place, and ends the operation. A BIB that is
/// decrypted is read, and its operations are found in the bundle from then on.
[[nodiscard]] Verdict decrypt(SecuredBundle &bundle, const Operation &operation, WorkingKey &key,
                              v7::CrcType crc, PayloadRoom room = {});

}  // namespace farlink::bp::bpsec
