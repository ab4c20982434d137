// SPDX-License-Identifier: Apache-2.0
// BIB-HMAC-SHA2 (RFC 9173 section 3) on a bundle: sign, verify, accept.
// Functions that change the bundle they are given, or only read it; a fault leaves it as it was.
// One thread, that of the key.
#pragma once

#include <span>

#include "common/bp/bpsec/crypto/working_key.hpp"
#include "common/bp/bpsec/secured_bundle.hpp"

namespace farlink::bp::bpsec {

/// What the source of a security block decides.
struct NewBlock {
    EidView source;            ///< the security source
    std::uint64_t number = 0;  ///< 0: the lowest that is free
    std::uint64_t flags = 0;   ///< block processing control flags
    Place place = Place::kFirst;
    Scope scope = kWholeScope;
    /// Parameters are written where they equal the defaults, too.
    bool write_defaults = true;
};

struct SignRequest {
    std::span<const std::uint64_t> targets;  ///< 0: the primary block
    NewBlock block;
    HashVariant variant = HashVariant::kSha256;  ///< of the key, or of a new session key
};

/// Adds a BIB, and removes the CRCs of its targets (section 3.8.1). With a key encryption key, a
/// session key of `random` is made and travels along.
[[nodiscard]] Verdict sign(SecuredBundle &bundle, const SignRequest &request, WorkingKey &key,
                           RandomSource &random);

/// Compares the integrity value of one operation, whose block stays (section 3.8.2).
[[nodiscard]] Verdict verify(const SecuredBundle &bundle, const Operation &operation,
                             WorkingKey &key);

/// verify(), and the operation ends. `crc` is what the target gets where nothing else protects it:
/// CrcType::kNone only at the bundle's destination.
[[nodiscard]] Verdict accept_integrity(SecuredBundle &bundle, const Operation &operation,
                                       WorkingKey &key, v7::CrcType crc);

/// Ends an operation as the acceptor does, without a check of its own: the target gets its CRC.
void end_operation(SecuredBundle &bundle, const Operation &operation, v7::CrcType crc);

}  // namespace farlink::bp::bpsec
