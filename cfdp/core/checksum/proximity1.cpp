// SPDX-License-Identifier: Apache-2.0
// The CRC of Proximity-1 takes the highest bit first. Its fast kernels reverse the bits of each
// octet into a block that stays in the cache, and fold that as the CRC of the reversed polynomial.
#include <algorithm>
#include <array>
#include <vector>

#include "cfdp/core/checksum/crc32.hpp"
#include "common/codec/base/crc_polynomial.hpp"
#include "common/codec/scalar/crc_scalar.hpp"
#include "common/codec/x86/crc_fold.hpp"
#include "common/codec/x86/features.hpp"

namespace farlink::cfdp {
namespace {

constexpr std::uint32_t reversed_bits(std::uint32_t value) {
    value = (value >> 1 & 0x55555555U) | (value & 0x55555555U) << 1;
    value = (value >> 2 & 0x33333333U) | (value & 0x33333333U) << 2;
    value = (value >> 4 & 0x0f0f0f0fU) | (value & 0x0f0f0f0fU) << 4;
    value = (value >> 8 & 0x00ff00ffU) | (value & 0x00ff00ffU) << 8;
    return value >> 16 | value << 16;
}

constexpr std::uint32_t kProximity1 = 0x00a00805U;
using Proximity1 = codec::CrcPolynomial<32, reversed_bits(kProximity1)>;
using SlicedProximity1 = codec::scalar::SlicedCrc<Proximity1>;

using HighestFirstTables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr HighestFirstTables make_highest_first_tables() {
    HighestFirstTables tables{};
    for (std::uint32_t octet = 0; octet < 256; ++octet) {
        std::uint32_t state = octet << 24;
        for (int bit = 0; bit < 8; ++bit)
            state = state << 1 ^ ((state >> 31) != 0 ? kProximity1 : 0);
        tables[0][octet] = state;
    }
    for (std::size_t i = 1; i < 8; ++i)
        for (std::size_t octet = 0; octet < 256; ++octet) {
            const std::uint32_t before = tables[i - 1][octet];
            tables[i][octet] = before << 8 ^ tables[0][before >> 24];
        }
    return tables;
}

constexpr HighestFirstTables kHighestFirst = make_highest_first_tables();

/// Eight octets, the highest bit first.
std::uint32_t proximity1_step(std::uint32_t state, std::uint64_t octets) {
    octets ^= std::uint64_t{state} << 32;
    std::uint32_t next = 0;
    for (unsigned i = 0; i < 8; ++i) next ^= kHighestFirst[i][octets >> (8 * i) & 0xff];
    return next;
}

std::uint32_t proximity1_scalar(std::uint32_t crc, const std::uint8_t *data, std::size_t size) {
    for (; size >= 8; data += 8, size -= 8)
        crc = proximity1_step(crc, load_be<std::uint64_t>(data));
    for (; size != 0; ++data, --size) crc = crc << 8 ^ kHighestFirst[0][(crc >> 24 ^ *data) & 0xff];
    return crc;
}

#if defined(__x86_64__)

constexpr std::size_t kBlock = 4096;
// Below these sizes the simpler method is as quick.
constexpr std::size_t kProximity1FourLanesFrom = 128;
constexpr std::size_t kProximity1WideFrom = 512;

FARLINK_TARGET_CLMUL inline std::uint32_t finish_reversed(codec::x86::Folded folded) {
    std::uint32_t state =
        SlicedProximity1::step(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(folded.lane)));
    state = SlicedProximity1::step(state,
                                   static_cast<std::uint64_t>(_mm_extract_epi64(folded.lane, 1)));
    return SlicedProximity1::raw(state, folded.rest, folded.size);
}

/// The bits of four, reversed, as the upper half of an octet.
FARLINK_TARGET_CLMUL inline __m128i upper_of_reversed() {
    return _mm_setr_epi8(0x00, -0x80, 0x40, -0x40, 0x20, -0x60, 0x60, -0x20, 0x10, -0x70, 0x50,
                         -0x30, 0x30, -0x50, 0x70, -0x10);
}
FARLINK_TARGET_CLMUL inline __m128i lower_of_reversed() {
    return _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15);
}

FARLINK_TARGET_CLMUL void reverse_128(std::uint8_t *to, const std::uint8_t *data,
                                      std::size_t size) {
    const __m128i four = _mm_set1_epi8(15);
    const __m128i upper = upper_of_reversed();
    const __m128i lower = lower_of_reversed();
    for (std::size_t i = 0; i < size; i += 16) {
        const __m128i octets = _mm_loadu_si128(codec::x86::as_vector(data + i));
        const __m128i low = _mm_shuffle_epi8(upper, _mm_and_si128(octets, four));
        const __m128i high =
            _mm_shuffle_epi8(lower, _mm_and_si128(_mm_srli_epi16(octets, 4), four));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i), _mm_or_si128(low, high));
    }
}

FARLINK_TARGET_VCLMUL void reverse_512(std::uint8_t *to, const std::uint8_t *data,
                                       std::size_t size) {
    const __m512i four = _mm512_set1_epi8(15);
    const __m512i upper = _mm512_broadcast_i32x4(upper_of_reversed());
    const __m512i lower = _mm512_broadcast_i32x4(lower_of_reversed());
    for (std::size_t i = 0; i < size; i += 64) {
        const __m512i octets = _mm512_loadu_si512(data + i);
        const __m512i low = _mm512_shuffle_epi8(upper, _mm512_and_si512(octets, four));
        const __m512i high =
            _mm512_shuffle_epi8(lower, _mm512_and_si512(_mm512_srli_epi16(octets, 4), four));
        _mm512_storeu_si512(to + i, _mm512_or_si512(low, high));
    }
}

FARLINK_TARGET_CLMUL std::uint32_t proximity1_clmul(std::uint32_t crc, const std::uint8_t *data,
                                                    std::size_t size) {
    alignas(64) std::uint8_t block[kBlock];
    std::uint32_t state = reversed_bits(crc);
    while (size >= kProximity1FourLanesFrom) {
        const std::size_t now = std::min(size, kBlock) / 16 * 16;
        reverse_128(block, data, now);
        state = finish_reversed(codec::x86::fold_128<Proximity1>(state, block, now));
        data += now;
        size -= now;
    }
    return proximity1_scalar(reversed_bits(state), data, size);
}

FARLINK_TARGET_VCLMUL std::uint32_t proximity1_vclmul(std::uint32_t crc, const std::uint8_t *data,
                                                      std::size_t size) {
    alignas(64) std::uint8_t block[kBlock];
    std::uint32_t state = reversed_bits(crc);
    while (size >= kProximity1WideFrom) {
        const std::size_t now = std::min(size, kBlock) / 64 * 64;
        reverse_512(block, data, now);
        state = finish_reversed(codec::x86::fold_512<Proximity1>(state, block, now));
        data += now;
        size -= now;
    }
    return proximity1_clmul(reversed_bits(state), data, size);
}

#endif

std::vector<Crc32Kernel> usable_proximity1_kernels() {
    std::vector<Crc32Kernel> kernels{{"scalar", &proximity1_scalar}};
#if defined(__x86_64__)
    if (codec::x86::has_clmul()) kernels.push_back({"clmul", &proximity1_clmul});
    if (codec::x86::has_wide_clmul()) kernels.push_back({"vclmul", &proximity1_vclmul});
#endif
    return kernels;
}

}  // namespace

std::span<const Crc32Kernel> proximity1_kernels() {
    static const std::vector<Crc32Kernel> kernels = usable_proximity1_kernels();
    return kernels;
}

std::uint32_t proximity1_extend(std::uint32_t crc, ByteView data) {
    static const auto extend = proximity1_kernels().back().extend;
    return extend(crc, data.data(), data.size());
}

std::uint32_t proximity1_combine(std::uint32_t a, std::uint32_t b, std::uint64_t bytes_b) {
    return reversed_bits(Proximity1::multiply(reversed_bits(a), Proximity1::x_to(8 * bytes_b))) ^ b;
}

}  // namespace farlink::cfdp
