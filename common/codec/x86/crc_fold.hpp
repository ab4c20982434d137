// SPDX-License-Identifier: Apache-2.0
// CRC by folding: carry-less multiplications shrink a long message to 16 octets of the same CRC.
// One algorithm for both polynomials and for vectors of 128 and 512 bits; no state.
// Any thread; the caller has checked that the processor has the instructions.
#pragma once

#if defined(__x86_64__)

// g++ 12 takes the "undefined" vectors of its own AVX-512 header for uninitialized variables.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <cstddef>
#include <cstdint>

#define FARLINK_TARGET_CLMUL __attribute__((target("sse4.2,pclmul")))
#define FARLINK_TARGET_VCLMUL \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,vpclmulqdq,sse4.2,pclmul")))

namespace farlink::codec::x86 {

inline const __m128i *as_vector(const std::uint8_t *data) {
    return reinterpret_cast<const __m128i *>(data);
}

/// Constants that move a 128-bit lane ahead by kBits: for its low half and for its high half.
template <class Polynomial, std::uint64_t kBits>
FARLINK_TARGET_CLMUL inline __m128i lane_constants() {
    constexpr auto kFar = static_cast<long long>(Polynomial::fold_constant(kBits + 64));
    constexpr auto kNear = static_cast<long long>(Polynomial::fold_constant(kBits));
    return _mm_set_epi64x(kNear, kFar);
}

FARLINK_TARGET_CLMUL inline __m128i fold_lane(__m128i lane, __m128i constants, __m128i onto) {
    const __m128i low = _mm_clmulepi64_si128(lane, constants, 0x00);
    const __m128i high = _mm_clmulepi64_si128(lane, constants, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

/// What is left of a message: 16 octets that take the place of everything before `rest`.
struct Folded {
    __m128i lane;
    const std::uint8_t *rest;
    std::size_t size;
};

/// Folds `size` >= 16 octets down to fewer than 16 after `lane`.
template <class Polynomial>
FARLINK_TARGET_CLMUL inline Folded fold_singles(Folded at) {
    const __m128i by_one = lane_constants<Polynomial, 128>();
    for (; at.size >= 16; at.rest += 16, at.size -= 16)
        at.lane = fold_lane(at.lane, by_one, _mm_loadu_si128(as_vector(at.rest)));
    return at;
}

/// Needs size >= 64: four lanes in flight hide the multiplier's latency.
template <class Polynomial>
FARLINK_TARGET_CLMUL inline Folded fold_128(std::uint32_t state, const std::uint8_t *data,
                                            std::size_t size) {
    const __m128i by_four = lane_constants<Polynomial, 512>();
    const __m128i by_one = lane_constants<Polynomial, 128>();
    __m128i a =
        _mm_xor_si128(_mm_loadu_si128(as_vector(data)), _mm_cvtsi32_si128(static_cast<int>(state)));
    __m128i b = _mm_loadu_si128(as_vector(data + 16));
    __m128i c = _mm_loadu_si128(as_vector(data + 32));
    __m128i d = _mm_loadu_si128(as_vector(data + 48));
    for (data += 64, size -= 64; size >= 64; data += 64, size -= 64) {
        a = fold_lane(a, by_four, _mm_loadu_si128(as_vector(data)));
        b = fold_lane(b, by_four, _mm_loadu_si128(as_vector(data + 16)));
        c = fold_lane(c, by_four, _mm_loadu_si128(as_vector(data + 32)));
        d = fold_lane(d, by_four, _mm_loadu_si128(as_vector(data + 48)));
    }
    const __m128i one = fold_lane(fold_lane(fold_lane(a, by_one, b), by_one, c), by_one, d);
    return fold_singles<Polynomial>({one, data, size});
}

FARLINK_TARGET_VCLMUL inline __m512i fold_wide(__m512i lanes, __m512i constants, __m512i onto) {
    const __m512i low = _mm512_clmulepi64_epi128(lanes, constants, 0x00);
    const __m512i high = _mm512_clmulepi64_epi128(lanes, constants, 0x11);
    return _mm512_ternarylogic_epi64(low, high, onto, 0x96);
}

template <class Polynomial, std::uint64_t kBits>
FARLINK_TARGET_VCLMUL inline __m512i wide_constants() {
    return _mm512_broadcast_i32x4(lane_constants<Polynomial, kBits>());
}

/// Needs size >= 256: four vectors of four lanes.
template <class Polynomial>
FARLINK_TARGET_VCLMUL inline Folded fold_512(std::uint32_t state, const std::uint8_t *data,
                                             std::size_t size) {
    const __m512i by_four = wide_constants<Polynomial, 2048>();
    const __m512i by_one = wide_constants<Polynomial, 512>();
    __m512i a =
        _mm512_xor_si512(_mm512_loadu_si512(data),
                         _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(state))));
    __m512i b = _mm512_loadu_si512(data + 64);
    __m512i c = _mm512_loadu_si512(data + 128);
    __m512i d = _mm512_loadu_si512(data + 192);
    for (data += 256, size -= 256; size >= 256; data += 256, size -= 256) {
        a = fold_wide(a, by_four, _mm512_loadu_si512(data));
        b = fold_wide(b, by_four, _mm512_loadu_si512(data + 64));
        c = fold_wide(c, by_four, _mm512_loadu_si512(data + 128));
        d = fold_wide(d, by_four, _mm512_loadu_si512(data + 192));
    }
    a = fold_wide(fold_wide(fold_wide(a, by_one, b), by_one, c), by_one, d);
    for (; size >= 64; data += 64, size -= 64) a = fold_wide(a, by_one, _mm512_loadu_si512(data));

    const __m128i by_lane = lane_constants<Polynomial, 128>();
    __m128i lane = _mm512_castsi512_si128(a);
    lane = fold_lane(lane, by_lane, _mm512_extracti32x4_epi32(a, 1));
    lane = fold_lane(lane, by_lane, _mm512_extracti32x4_epi32(a, 2));
    lane = fold_lane(lane, by_lane, _mm512_extracti32x4_epi32(a, 3));
    return fold_singles<Polynomial>({lane, data, size});
}

}  // namespace farlink::codec::x86

#endif
