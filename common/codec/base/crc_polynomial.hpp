// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the two CRC polynomials at compile time, for all tables and constants.
// Values; no owner.
// Any thread. Registers are reflected: the lowest bit holds the highest power of x.
#pragma once

#include <cstdint>

namespace farlink::codec {

/// A CRC by its width and its polynomial without the leading term, reflected.
template <unsigned kWidth, std::uint32_t kReflected>
struct CrcPolynomial {
    static constexpr unsigned kBits = kWidth;
    static constexpr std::uint32_t kMask = kWidth == 32 ? 0xffffffffU : (1U << kWidth) - 1;
    static constexpr std::uint32_t kOne = 1U << (kWidth - 1);

    [[nodiscard]] static constexpr std::uint32_t times_x(std::uint32_t value) {
        return (value >> 1) ^ ((value & 1) != 0 ? kReflected : 0);
    }

    [[nodiscard]] static constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
        std::uint32_t product = 0;
        for (std::uint32_t power = kOne; power != 0; power >>= 1) {
            if ((a & power) != 0) product ^= b;
            b = times_x(b);
        }
        return product;
    }

    /// x^exponent modulo the polynomial.
    [[nodiscard]] static constexpr std::uint32_t x_to(std::uint64_t exponent) {
        std::uint32_t result = kOne;
        for (std::uint32_t square = times_x(kOne); exponent != 0; exponent >>= 1) {
            if ((exponent & 1) != 0) result = multiply(result, square);
            square = multiply(square, square);
        }
        return result;
    }

    /// The constant that moves 64 reflected bits by `bits` with a 64 x 64 bit carry-less
    /// multiplication, whose reflected product is one power of x too high.
    [[nodiscard]] static constexpr std::uint64_t fold_constant(std::uint64_t bits) {
        return std::uint64_t{x_to(bits - 1)} << (64 - kWidth);
    }
};

/// 0x1edc6f41 (RFC 7143 section 13.1, named by RFC 9171 section 4.2.1).
using Crc32cPolynomial = CrcPolynomial<32, 0x82f63b78U>;
/// 0x1021 (ITU-T X.25).
using Crc16X25Polynomial = CrcPolynomial<16, 0x8408U>;

/// x has this order modulo the CRC-32C polynomial, so exponents may be reduced by it.
inline constexpr std::uint64_t kCrc32cOrder = 0x7fffffffULL;
static_assert(Crc32cPolynomial::x_to(kCrc32cOrder) == Crc32cPolynomial::kOne);

}  // namespace farlink::codec
