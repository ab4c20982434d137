// SPDX-License-Identifier: Apache-2.0
// Why a security operation was not carried out, and the reason code that a report gives for it.
// Values; any thread.
// The names are stable: they become counters and texts of tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/result.hpp"

namespace farlink::bp::bpsec {

/// RFC 9172 section 11.2.
enum class SecurityReason : std::uint8_t {
    kMissing = 12,
    kUnknown = 13,
    kUnexpected = 14,
    kFailed = 15,
    kConflicting = 16,
};

enum class Fault : std::uint8_t {
    // The bundle breaks a rule of RFC 9172.
    kBadBundle = 0,     ///< not BPv7, or not what bp::parse() accepts
    kBadBlock,          ///< a security block is not the CBOR of section 3.6
    kTooMany,           ///< more targets, parameters, results or blocks than are read
    kNoTarget,          ///< the list of targets is empty
    kRepeatedTarget,    ///< listed twice in one block
    kTargetMissing,     ///< the bundle has no such block
    kServiceTwice,      ///< two blocks apply one service to one target
    kTargetIsSecurity,  ///< a BIB of a security block, or a BCB of a BCB
    kTargetIsPrimary,   ///< a BCB of the primary block
    kSharesNoTarget,    ///< a BCB of a BIB none of whose targets is encrypted
    kNotReplicated,     ///< a BCB of the payload without the flag for every fragment
    kMayBeDiscarded,    ///< a BCB with the flag that discards it
    kResultCount,       ///< not one set of results for each target
    kRepeatedItem,      ///< a parameter or a result twice
    // The context (RFC 9173).
    kUnknownContext,
    kUnknownParameter,
    kUnknownResult,
    kBadParameter,  ///< of another type, or outside of its range
    kBadResult,     ///< of another type, or of the wrong length
    kParameterMissing,
    kResultMissing,
    // The operation.
    kIsFragment,            ///< section 5.2: neither added to nor checked in a fragment
    kTargetEncrypted,       ///< an integrity check before decryption, or a second encryption
    kNoOperation,           ///< the bundle has no such operation
    kNoKey,                 ///< none is at hand, valid and permitted
    kWrongKey,              ///< of another algorithm or length than the operation needs
    kUnwrapFailed,          ///< the wrapped key is not one that this key has wrapped
    kMismatch,              ///< the integrity value or the authentication tag differs
    kSplitBreaksSignature,  ///< a BIB would have to be divided whose number is signed
    kPrimaryCovered,        ///< its CRC would have to go, and another operation covers it
    kNoNumber,              ///< no block number is free
    kNoRoom,                ///< the memory for the payload is too small
    kNoIv,                  ///< the source of initialization vectors has ended
    kCryptography,          ///< OpenSSL refused
    kCount_,
};
inline constexpr std::size_t kFaultCount = static_cast<std::size_t>(Fault::kCount_);

using Verdict = Result<void, Fault>;

/// Stable snake_case name.
[[nodiscard]] std::string_view to_string(Fault fault);
/// For people: "no valid and permitted key for the operation".
[[nodiscard]] std::string_view in_words(Fault fault);
/// RFC 9172 section 7.1.
[[nodiscard]] SecurityReason reason_of(Fault fault);
[[nodiscard]] std::string_view to_string(SecurityReason reason);

}  // namespace farlink::bp::bpsec
