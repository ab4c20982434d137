// SPDX-License-Identifier: Apache-2.0
#include "common/codec/crc.hpp"

#include <vector>

#include "common/codec/base/crc_polynomial.hpp"
#include "common/codec/scalar/crc_scalar.hpp"
#include "common/codec/x86/crc_x86.hpp"
#include "common/codec/x86/features.hpp"

namespace farlink::codec {
namespace {

constexpr Crc32cKernel kScalar32{"scalar", &scalar::crc32c_extend, &scalar::crc32c_extend_zeros,
                                 &scalar::crc32c_multiply};
constexpr Crc16Kernel kScalar16{"scalar", &scalar::crc16_x25_extend};

std::vector<Crc32cKernel> usable_crc32c_kernels() {
    std::vector<Crc32cKernel> kernels{kScalar32};
#if defined(__x86_64__)
    if (x86::has_clmul())
        kernels.push_back(
            {"sse42", &x86::crc32c_sse42, &x86::crc32c_sse42_zeros, &x86::crc32c_multiply});
    if (x86::has_wide_clmul())
        kernels.push_back(
            {"vclmul", &x86::crc32c_vclmul, &x86::crc32c_vclmul_zeros, &x86::crc32c_multiply});
#endif
    return kernels;
}

std::vector<Crc16Kernel> usable_crc16_kernels() {
    std::vector<Crc16Kernel> kernels{kScalar16};
#if defined(__x86_64__)
    if (x86::has_clmul()) kernels.push_back({"clmul", &x86::crc16_x25_clmul});
    if (x86::has_wide_clmul()) kernels.push_back({"vclmul", &x86::crc16_x25_vclmul});
#endif
    return kernels;
}

}  // namespace

std::span<const Crc32cKernel> crc32c_kernels() {
    static const std::vector<Crc32cKernel> kernels = usable_crc32c_kernels();
    return kernels;
}

std::span<const Crc16Kernel> crc16_x25_kernels() {
    static const std::vector<Crc16Kernel> kernels = usable_crc16_kernels();
    return kernels;
}

namespace detail {

// Usable (scalar) from the first instruction of the program, the best one before main().
constinit Crc32cKernel crc32c_active = kScalar32;
constinit Crc16Kernel crc16_x25_active = kScalar16;

namespace {
[[maybe_unused]] const bool kResolved = [] {
    crc32c_active = crc32c_kernels().back();
    crc16_x25_active = crc16_x25_kernels().back();
    return true;
}();
}  // namespace

}  // namespace detail

Crc32cShift::Crc32cShift(std::uint64_t length_bytes)
    // The product of two registers carries x^33 too much; x^-33 is x^(order - 33).
    : factor_(Crc32cPolynomial::x_to(((length_bytes % kCrc32cOrder) * 8 + kCrc32cOrder - 33) %
                                     kCrc32cOrder)) {}

}  // namespace farlink::codec
