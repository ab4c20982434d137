// SPDX-License-Identifier: Apache-2.0
// The parameters and results of the two security contexts of RFC 9173, with their defaults.
// Values that borrow what a security block borrows; any thread.
// Anything that a context does not define is a fault here: only who takes part in an operation
// reads its parameters, everything else passes through.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "common/bp/bpsec/block/security_block.hpp"

namespace farlink::bp::bpsec {

/// RFC 9173 section 3.3.1.
enum class HashVariant : std::uint8_t { kSha256 = 5, kSha384 = 6, kSha512 = 7 };
/// RFC 9173 section 4.3.2.
enum class CipherVariant : std::uint8_t { kA128Gcm = 1, kA256Gcm = 3 };

[[nodiscard]] constexpr std::size_t hash_bytes(HashVariant variant) {
    return variant == HashVariant::kSha256 ? 32 : variant == HashVariant::kSha384 ? 48 : 64;
}
[[nodiscard]] constexpr std::size_t cipher_key_bytes(CipherVariant variant) {
    return variant == CipherVariant::kA128Gcm ? 16 : 32;
}
inline constexpr std::size_t kMostHashBytes = 64;
inline constexpr std::size_t kTagBytes = 16;     ///< section 4.3.2
inline constexpr std::size_t kIvBytes = 12;      ///< of the vectors that are made here
inline constexpr std::size_t kLeastIvBytes = 8;  ///< section 4.3.1
inline constexpr std::size_t kMostIvBytes = 16;

/// Integrity scope flags and AAD scope flags (sections 3.3.3 and 4.3.4).
using Scope = std::uint16_t;
inline constexpr Scope kScopePrimary = 0x1;
inline constexpr Scope kScopeTarget = 0x2;
inline constexpr Scope kScopeSecurity = 0x4;
inline constexpr Scope kWholeScope = kScopePrimary | kScopeTarget | kScopeSecurity;

struct IntegrityParameters {
    HashVariant variant = HashVariant::kSha384;
    Scope scope = kWholeScope;
    std::optional<ByteView> wrapped_key;
};

struct ConfidentialityParameters {
    ByteView iv;
    CipherVariant variant = CipherVariant::kA256Gcm;
    Scope scope = kWholeScope;
    std::optional<ByteView> wrapped_key;
};

[[nodiscard]] Result<IntegrityParameters, Fault> integrity_parameters(const SecurityBlock &block);
[[nodiscard]] Result<ConfidentialityParameters, Fault> confidentiality_parameters(
    const SecurityBlock &block);

/// The integrity value of a target.
[[nodiscard]] Result<ByteView, Fault> integrity_value(const SecurityTarget &target,
                                                      HashVariant variant);
/// The authentication tag of a target; empty where it is behind the ciphertext.
[[nodiscard]] Result<ByteView, Fault> authentication_tag(const SecurityTarget &target);

/// What is known of the scope of a block of any context: the flags, or the whole scope.
[[nodiscard]] Scope scope_or_whole(const SecurityBlock &block);

/// Values of parameters and results, as CBOR; they live as long as this.
class ItemWriter {
public:
    explicit ItemWriter(Bytes &memory) : memory_(memory) {}
    /// `memory` must have room for all items, so that views stay valid.
    [[nodiscard]] static std::size_t bound(std::size_t octets) { return octets + 9; }
    [[nodiscard]] SecurityItem number(std::uint64_t id, std::uint64_t value);
    [[nodiscard]] SecurityItem octets(std::uint64_t id, ByteView value);

private:
    Bytes &memory_;
};

/// Parameter ids.
inline constexpr std::uint64_t kShaVariant = 1;
inline constexpr std::uint64_t kIntegrityWrappedKey = 2;
inline constexpr std::uint64_t kIntegrityScope = 3;
inline constexpr std::uint64_t kInitializationVector = 1;
inline constexpr std::uint64_t kAesVariant = 2;
inline constexpr std::uint64_t kCipherWrappedKey = 3;
inline constexpr std::uint64_t kAadScope = 4;
/// The result id of both contexts.
inline constexpr std::uint64_t kOnlyResult = 1;

}  // namespace farlink::bp::bpsec
