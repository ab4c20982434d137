// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/checksum/crc32.hpp"

#include <array>
#include <vector>

#include "common/codec/crc_polynomial.hpp"
#include "common/codec/scalar/crc_scalar.hpp"
#include "common/codec/x86/crc_fold.hpp"
#include "common/codec/x86/features.hpp"

namespace farlink::cfdp {
namespace {

constexpr std::uint32_t reversed(std::uint32_t value) {
    std::uint32_t result = 0;
    for (int bit = 0; bit < 32; ++bit) result |= ((value >> bit) & 1U) << (31 - bit);
    return result;
}

using Ieee = codec::CrcPolynomial<32, 0xedb88320U>;
constexpr std::uint32_t kProximity1 = 0x00a00805U;
using Proximity1 = codec::CrcPolynomial<32, reversed(kProximity1)>;
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

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_proximity1_tables() {
    Tables tables{};
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

constexpr Tables kTables = make_proximity1_tables();

/// Eight octets, the highest bit first.
std::uint32_t proximity1_step(std::uint32_t state, std::uint64_t octets) {
    octets ^= std::uint64_t{state} << 32;
    std::uint32_t next = 0;
    for (unsigned i = 0; i < 8; ++i) next ^= kTables[i][octets >> (8 * i) & 0xff];
    return next;
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

std::uint32_t proximity1_extend(std::uint32_t crc, ByteView data) {
    const std::uint8_t *at = data.data();
    std::size_t size = data.size();
    for (; size >= 8; at += 8, size -= 8) crc = proximity1_step(crc, load_be<std::uint64_t>(at));
    for (; size != 0; ++at, --size) crc = crc << 8 ^ kTables[0][(crc >> 24 ^ *at) & 0xff];
    return crc;
}

std::uint32_t crc32_combine(std::uint32_t a, std::uint32_t b, std::uint64_t bytes_b) {
    return Ieee::multiply(a, Ieee::x_to(8 * bytes_b)) ^ b;
}

std::uint32_t proximity1_combine(std::uint32_t a, std::uint32_t b, std::uint64_t bytes_b) {
    return reversed(Proximity1::multiply(reversed(a), Proximity1::x_to(8 * bytes_b))) ^ b;
}

}  // namespace farlink::cfdp
