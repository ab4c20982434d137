// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4 with a result of 128 bits: collisions cannot be constructed without the key.
// Plain functions over borrowed octets; the caller owns the key. Any thread.
// Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), and its 128-bit variant.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>

#include "common/base/bytes.hpp"

namespace farlink {

using SipKey = std::array<std::uint8_t, 16>;

struct Hash128 {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend constexpr auto operator<=>(const Hash128 &, const Hash128 &) = default;
};

namespace detail {

[[nodiscard]] inline std::uint64_t load_le64(const std::uint8_t *from) {
    return __builtin_bswap64(load_be<std::uint64_t>(from));
}

struct SipState {
    std::uint64_t v0, v1, v2, v3;

    void round() {
        v0 += v1;
        v2 += v3;
        v1 = std::rotl(v1, 13) ^ v0;
        v3 = std::rotl(v3, 16) ^ v2;
        v0 = std::rotl(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = std::rotl(v1, 17) ^ v2;
        v3 = std::rotl(v3, 21) ^ v0;
        v2 = std::rotl(v2, 32);
    }
    void absorb(std::uint64_t word) {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }
    [[nodiscard]] std::uint64_t squeeze() {
        for (int i = 0; i < 4; ++i) round();
        return v0 ^ v1 ^ v2 ^ v3;
    }
};

}  // namespace detail

[[nodiscard]] inline Hash128 siphash128(const SipKey &key, ByteView data) {
    const std::uint64_t k0 = detail::load_le64(key.data());
    const std::uint64_t k1 = detail::load_le64(key.data() + 8);
    detail::SipState state{k0 ^ 0x736f6d6570736575ULL, k1 ^ 0x646f72616e646f6dULL ^ 0xeeULL,
                           k0 ^ 0x6c7967656e657261ULL, k1 ^ 0x7465646279746573ULL};
    const std::size_t whole = data.size() & ~std::size_t{7};
    for (std::size_t at = 0; at < whole; at += 8) state.absorb(detail::load_le64(&data[at]));
    std::uint64_t last = static_cast<std::uint64_t>(data.size()) << 56;
    for (std::size_t at = whole; at < data.size(); ++at)
        last |= std::uint64_t{data[at]} << (8 * (at - whole));
    state.absorb(last);
    state.v2 ^= 0xee;
    const std::uint64_t first_half = state.squeeze();
    state.v1 ^= 0xdd;
    return {first_half, state.squeeze()};
}

}  // namespace farlink
