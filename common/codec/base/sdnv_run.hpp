// SPDX-License-Identifier: Apache-2.0
// What all kernels for SDNVs (RFC 6256) share: sizes, errors, the result of reading.
// Values; no owner.
// Any thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace farlink::codec {

enum class SdnvError : std::uint8_t {
    kTruncated,  ///< the octets end before the value does
    kTooLarge,   ///< above 2^64 - 1, or longer than 10 octets
};

/// 64 bits take at most 10 octets; leading zero octets (RFC 6256 section 2) are read up to there.
inline constexpr std::size_t kMaxSdnvBytes = 10;

/// How far a run of values was read: all of them, or up to `error`.
struct SdnvRun {
    std::size_t size = 0;   ///< octets of the values that were read
    std::size_t count = 0;  ///< values that were read
    SdnvError error{};      ///< the reason, when `count` is less than requested
};

/// Octets of the shortest form.
[[nodiscard]] constexpr std::size_t sdnv_size(std::uint64_t value) {
    return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

}  // namespace farlink::codec
