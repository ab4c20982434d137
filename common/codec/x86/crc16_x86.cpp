// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include "common/codec/base/crc_polynomial.hpp"
#include "common/codec/scalar/crc_scalar.hpp"
#include "common/codec/x86/crc_fold.hpp"
#include "common/codec/x86/crc_x86.hpp"

namespace farlink::codec::x86 {
namespace {

using Sliced = scalar::SlicedCrc<Crc16X25Polynomial>;

// Below these sizes the simpler method is as quick.
constexpr std::size_t kFoldFrom = 32;
constexpr std::size_t kFourLanesFrom = 64;
constexpr std::size_t kWideFrom = 512;

FARLINK_TARGET_CLMUL inline std::uint16_t finish(Folded folded) {
    std::uint32_t state =
        Sliced::step(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(folded.lane)));
    state = Sliced::step(state, static_cast<std::uint64_t>(_mm_extract_epi64(folded.lane, 1)));
    return static_cast<std::uint16_t>(Sliced::raw(state, folded.rest, folded.size) ^ 0xffffU);
}

}  // namespace

FARLINK_TARGET_CLMUL std::uint16_t crc16_x25_clmul(std::uint16_t crc, const std::uint8_t *data,
                                                   std::size_t size) {
    if (size < kFoldFrom) return scalar::crc16_x25_extend(crc, data, size);
    if (size >= kFourLanesFrom)
        return finish(fold_128<Crc16X25Polynomial>(crc ^ 0xffffU, data, size));
    const __m128i first =
        _mm_xor_si128(_mm_loadu_si128(as_vector(data)), _mm_cvtsi32_si128(crc ^ 0xffff));
    return finish(fold_singles<Crc16X25Polynomial>({first, data + 16, size - 16}));
}

FARLINK_TARGET_VCLMUL std::uint16_t crc16_x25_vclmul(std::uint16_t crc, const std::uint8_t *data,
                                                     std::size_t size) {
    if (size < kWideFrom) return crc16_x25_clmul(crc, data, size);
    return finish(fold_512<Crc16X25Polynomial>(crc ^ 0xffffU, data, size));
}

}  // namespace farlink::codec::x86

#endif
