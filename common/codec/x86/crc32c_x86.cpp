// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <array>
#include <cstring>

#include "common/codec/base/crc_polynomial.hpp"
#include "common/codec/x86/crc_fold.hpp"
#include "common/codec/x86/crc_x86.hpp"

namespace farlink::codec::x86 {
namespace {

// The crc32 instruction takes three cycles but one starts every cycle, so three independent lanes
// take the time of one. Joining them costs two multiplications, which is quicker from this size on.
constexpr std::size_t kThreeLanesFrom = 96;
// One lane has at most this many words; longer inputs take several rounds.
constexpr std::size_t kQueueWords = 128;
// From this size on wide folding is quicker than the crc32 instruction.
constexpr std::size_t kWideFrom = 512;

struct JoinConstants {
    std::uint64_t second;  ///< moves the second lane over the third: one lane
    std::uint64_t first;   ///< moves the first lane over both others
};

constexpr std::array<JoinConstants, kQueueWords + 1> make_join_constants() {
    std::array<JoinConstants, kQueueWords + 1> table{};
    for (std::size_t words = 1; words <= kQueueWords; ++words)
        table[words] = {Crc32cPolynomial::x_to(64 * words - 33),
                        Crc32cPolynomial::x_to(128 * words - 33)};
    return table;
}

alignas(16) constexpr auto kJoin = make_join_constants();

inline std::uint64_t load(const std::uint8_t *from) {
    std::uint64_t value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

FARLINK_TARGET_CLMUL inline std::uint64_t clmul(std::uint64_t a, __m128i b) {
    const __m128i left = _mm_cvtsi64_si128(static_cast<long long>(a));
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_clmulepi64_si128(left, b, 0x00)));
}

/// Three lanes of `words` octets x 8 from `data`, joined in the third lane's last word.
FARLINK_TARGET_CLMUL inline std::uint64_t three_lanes(std::uint64_t state, const std::uint8_t *data,
                                                      std::size_t words) {
    const std::size_t lane = words * 8;
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    const std::uint8_t *const last = data + lane - 8;
    for (; data != last; data += 8) {
        state = _mm_crc32_u64(state, load(data));
        second = _mm_crc32_u64(second, load(data + lane));
        third = _mm_crc32_u64(third, load(data + 2 * lane));
    }
    state = _mm_crc32_u64(state, load(data));
    second = _mm_crc32_u64(second, load(data + lane));
    const __m128i join = _mm_load_si128(reinterpret_cast<const __m128i *>(&kJoin[words]));
    const std::uint64_t moved = clmul(second, join) ^ clmul(state, _mm_unpackhi_epi64(join, join));
    return _mm_crc32_u64(third, load(data + 2 * lane) ^ moved);
}

FARLINK_TARGET_CLMUL inline std::uint64_t few(std::uint64_t state, const std::uint8_t *data,
                                              std::size_t size) {
    auto narrow = static_cast<std::uint32_t>(state);
    for (; size != 0; ++data, --size) narrow = _mm_crc32_u8(narrow, *data);
    return narrow;
}

/// No inversion; `state` and the result are 32 bits wide.
FARLINK_TARGET_CLMUL inline std::uint64_t raw(std::uint64_t state, const std::uint8_t *data,
                                              std::size_t size) {
    if (size < 8) return few(state, data, size);
    while (size >= kThreeLanesFrom) {
        const std::size_t words = size / 24 < kQueueWords ? size / 24 : kQueueWords;
        state = three_lanes(state, data, words);
        data += words * 24;
        size -= words * 24;
    }
    const std::uint8_t *const end = data + size;
    for (; size >= 8; data += 8, size -= 8) state = _mm_crc32_u64(state, load(data));
    if (size == 0) return state;
    // The last 1 to 7 octets in one step: leading zeros do not change a zero state, so the octets
    // are at the top of a word, and the part of the state that they do not cover moves down.
    const auto shift = static_cast<unsigned>(64 - 8 * size);
    const std::uint64_t word = (load(end - 8) >> shift << shift) ^ (state << shift);
    return _mm_crc32_u64(0, word) ^ (state >> (8 * size));
}

FARLINK_TARGET_CLMUL inline std::uint32_t finished(std::uint64_t state) {
    return ~static_cast<std::uint32_t>(state);
}

FARLINK_TARGET_CLMUL inline std::uint64_t with_zeros(std::uint64_t state) {
    return _mm_crc32_u32(static_cast<std::uint32_t>(state), 0);
}

/// No inversion; for inputs of kWideFrom octets or more.
FARLINK_TARGET_VCLMUL inline std::uint64_t raw_wide(std::uint32_t state, const std::uint8_t *data,
                                                    std::size_t size) {
    const Folded folded = fold_512<Crc32cPolynomial>(state, data, size);
    const auto first = static_cast<std::uint64_t>(_mm_cvtsi128_si64(folded.lane));
    const auto second = static_cast<std::uint64_t>(_mm_extract_epi64(folded.lane, 1));
    return raw(_mm_crc32_u64(_mm_crc32_u64(0, first), second), folded.rest, folded.size);
}

}  // namespace

FARLINK_TARGET_CLMUL std::uint32_t crc32c_sse42(std::uint32_t crc, const std::uint8_t *data,
                                                std::size_t size) {
    return finished(raw(~crc, data, size));
}

FARLINK_TARGET_CLMUL std::uint32_t crc32c_sse42_zeros(std::uint32_t crc, const std::uint8_t *data,
                                                      std::size_t size) {
    return finished(with_zeros(raw(~crc, data, size)));
}

FARLINK_TARGET_CLMUL std::uint32_t crc32c_multiply(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t product = clmul(a, _mm_cvtsi32_si128(static_cast<int>(b)));
    return static_cast<std::uint32_t>(_mm_crc32_u64(0, product));
}

FARLINK_TARGET_VCLMUL std::uint32_t crc32c_vclmul(std::uint32_t crc, const std::uint8_t *data,
                                                  std::size_t size) {
    if (size < kWideFrom) return crc32c_sse42(crc, data, size);
    return finished(raw_wide(~crc, data, size));
}

FARLINK_TARGET_VCLMUL std::uint32_t crc32c_vclmul_zeros(std::uint32_t crc, const std::uint8_t *data,
                                                        std::size_t size) {
    if (size < kWideFrom) return crc32c_sse42_zeros(crc, data, size);
    return finished(with_zeros(raw_wide(~crc, data, size)));
}

}  // namespace farlink::codec::x86

#endif
