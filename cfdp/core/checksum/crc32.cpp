// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/checksum/crc32.hpp"

#include <vector>

#include "common/codec/base/crc_polynomial.hpp"
#include "common/codec/scalar/crc_scalar.hpp"
#include "common/codec/x86/crc_fold.hpp"
#include "common/codec/x86/features.hpp"

namespace farlink::cfdp {
namespace {

using Ieee = codec::CrcPolynomial<32, 0xedb88320U>;
using SlicedIeee = codec::scalar::SlicedCrc<Ieee>;

std::uint32_t crc32_scalar(std::uint32_t crc, const std::uint8_t *data, std::size_t size) {
    return ~SlicedIeee::raw(~crc, data, size);
}

#if defined(__x86_64__)

// Below these sizes the simpler method is as quick.
constexpr std::size_t kFourLanesFrom = 64;
constexpr std::size_t kWideFrom = 512;

FARLINK_TARGET_CLMUL inline std::uint32_t finish(codec::x86::Folded folded) {
    std::uint32_t state =
        SlicedIeee::step(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(folded.lane)));
    state = SlicedIeee::step(state, static_cast<std::uint64_t>(_mm_extract_epi64(folded.lane, 1)));
    return ~SlicedIeee::raw(state, folded.rest, folded.size);
}

FARLINK_TARGET_CLMUL std::uint32_t crc32_clmul(std::uint32_t crc, const std::uint8_t *data,
                                               std::size_t size) {
    if (size < kFourLanesFrom) return crc32_scalar(crc, data, size);
    return finish(codec::x86::fold_128<Ieee>(~crc, data, size));
}

FARLINK_TARGET_VCLMUL std::uint32_t crc32_vclmul(std::uint32_t crc, const std::uint8_t *data,
                                                 std::size_t size) {
    if (size < kWideFrom) return crc32_clmul(crc, data, size);
    return finish(codec::x86::fold_512<Ieee>(~crc, data, size));
}

#endif

std::vector<Crc32Kernel> usable_kernels() {
    std::vector<Crc32Kernel> kernels{{"scalar", &crc32_scalar}};
#if defined(__x86_64__)
    if (codec::x86::has_clmul()) kernels.push_back({"clmul", &crc32_clmul});
    if (codec::x86::has_wide_clmul()) kernels.push_back({"vclmul", &crc32_vclmul});
#endif
    return kernels;
}

}  // namespace

std::span<const Crc32Kernel> crc32_kernels() {
    static const std::vector<Crc32Kernel> kernels = usable_kernels();
    return kernels;
}

std::uint32_t crc32_extend(std::uint32_t crc, ByteView data) {
    static const auto extend = crc32_kernels().back().extend;
    return extend(crc, data.data(), data.size());
}

std::uint32_t crc32_combine(std::uint32_t a, std::uint32_t b, std::uint64_t bytes_b) {
    return Ieee::multiply(a, Ieee::x_to(8 * bytes_b)) ^ b;
}

}  // namespace farlink::cfdp
