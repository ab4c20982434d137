// SPDX-License-Identifier: Apache-2.0
// Table-driven CRC, eight octets a step: runs on every machine, and on the rest of faster kernels.
// The tables are constants of the program.
// Any thread.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/codec/base/crc_polynomial.hpp"

namespace farlink::codec::scalar {

/// Slicing by eight over a reflected register of at most 32 bits; no inversion before or after.
template <class Polynomial>
class SlicedCrc {
public:
    [[nodiscard]] static std::uint32_t raw(std::uint32_t state, const std::uint8_t *data,
                                           std::size_t size) {
        for (; size >= 8; data += 8, size -= 8) state = step(state, load(data));
        for (; size != 0; ++data, --size) state = (state >> 8) ^ kTables[0][(state ^ *data) & 0xff];
        return state;
    }

    /// One step over eight octets in little-endian order.
    [[nodiscard]] static std::uint32_t step(std::uint32_t state, std::uint64_t octets) {
        octets ^= state;
        std::uint32_t next = 0;
        for (unsigned i = 0; i < 8; ++i) next ^= kTables[7 - i][(octets >> (8 * i)) & 0xff];
        return next;
    }

private:
    using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

    static std::uint64_t load(const std::uint8_t *from) {
        std::uint64_t value;
        std::memcpy(&value, from, sizeof value);
        if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
        return value;
    }

    static constexpr Tables make_tables() {
        Tables tables{};
        for (std::uint32_t octet = 0; octet < 256; ++octet) {
            std::uint32_t state = octet;
            for (int bit = 0; bit < 8; ++bit) state = Polynomial::times_x(state);
            tables[0][octet] = state;
        }
        for (std::size_t i = 1; i < 8; ++i)
            for (std::size_t octet = 0; octet < 256; ++octet) {
                const std::uint32_t before = tables[i - 1][octet];
                tables[i][octet] = (before >> 8) ^ tables[0][before & 0xff];
            }
        return tables;
    }

    static constexpr Tables kTables = make_tables();
};

[[nodiscard]] std::uint32_t crc32c_extend(std::uint32_t crc, const std::uint8_t *data,
                                          std::size_t size);
[[nodiscard]] std::uint32_t crc32c_extend_zeros(std::uint32_t crc, const std::uint8_t *data,
                                                std::size_t size);
[[nodiscard]] std::uint32_t crc32c_multiply(std::uint32_t a, std::uint32_t b);
[[nodiscard]] std::uint16_t crc16_x25_extend(std::uint16_t crc, const std::uint8_t *data,
                                             std::size_t size);

}  // namespace farlink::codec::scalar
