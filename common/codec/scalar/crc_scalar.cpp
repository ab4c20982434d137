// SPDX-License-Identifier: Apache-2.0
#include "common/codec/scalar/crc_scalar.hpp"

namespace farlink::codec::scalar {

std::uint32_t crc32c_extend(std::uint32_t crc, const std::uint8_t *data, std::size_t size) {
    return ~SlicedCrc<Crc32cPolynomial>::raw(~crc, data, size);
}

std::uint32_t crc32c_extend_zeros(std::uint32_t crc, const std::uint8_t *data, std::size_t size) {
    static constexpr std::uint8_t kZeros[4] = {};
    return crc32c_extend(crc32c_extend(crc, data, size), kZeros, sizeof kZeros);
}

std::uint32_t crc32c_multiply(std::uint32_t a, std::uint32_t b) {
    std::uint64_t product = 0;
    for (unsigned i = 0; i < 32; ++i) product ^= ((a >> i) & 1) != 0 ? std::uint64_t{b} << i : 0;
    return SlicedCrc<Crc32cPolynomial>::step(0, product);
}

std::uint16_t crc16_x25_extend(std::uint16_t crc, const std::uint8_t *data, std::size_t size) {
    const std::uint32_t state = crc ^ 0xffffU;
    return static_cast<std::uint16_t>(SlicedCrc<Crc16X25Polynomial>::raw(state, data, size) ^
                                      0xffffU);
}

}  // namespace farlink::codec::scalar
