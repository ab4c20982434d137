// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli) and CRC-16/X.25, the two checksums of a BPv7 block (RFC 9171 section 4.2.1).
// Plain functions over borrowed octets; the kernel for this machine is chosen once, before main().
// Any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/bytes.hpp"

namespace farlink::codec {

/// One implementation of CRC-32C. Checksums are in their finished form: the CRC of nothing is 0.
struct Crc32cKernel {
    std::string_view name;
    std::uint32_t (*extend)(std::uint32_t crc, const std::uint8_t *data, std::size_t size);
    /// As extend(), with four zero octets behind the data.
    std::uint32_t (*extend_zeros)(std::uint32_t crc, const std::uint8_t *data, std::size_t size);
    /// a(x) * b(x) * x^33 modulo the polynomial: what a carry-less multiplication and one
    /// reduction give; constants carry the factor x^-33.
    std::uint32_t (*multiply)(std::uint32_t a, std::uint32_t b);
};

struct Crc16Kernel {
    std::string_view name;
    std::uint16_t (*extend)(std::uint16_t crc, const std::uint8_t *data, std::size_t size);
};

/// The kernels that this machine can run, slowest first; tests run them all.
[[nodiscard]] std::span<const Crc32cKernel> crc32c_kernels();
[[nodiscard]] std::span<const Crc16Kernel> crc16_x25_kernels();

namespace detail {
extern Crc32cKernel crc32c_active;
extern Crc16Kernel crc16_x25_active;
}  // namespace detail

/// The CRC of A followed by `data`, from the CRC of A.
[[nodiscard]] inline std::uint32_t crc32c_extend(std::uint32_t crc, ByteView data) {
    return detail::crc32c_active.extend(crc, data.data(), data.size());
}
/// The CRC of `data` and four zero octets: a block's checksum counts its own octets as zeros
/// (RFC 9171 section 4.2.1).
[[nodiscard]] inline std::uint32_t crc32c_with_zeros(ByteView data) {
    return detail::crc32c_active.extend_zeros(0, data.data(), data.size());
}
[[nodiscard]] inline std::uint32_t crc32c(ByteView data) {
    return crc32c_extend(0, data);
}

[[nodiscard]] inline std::uint16_t crc16_x25_extend(std::uint16_t crc, ByteView data) {
    return detail::crc16_x25_active.extend(crc, data.data(), data.size());
}
[[nodiscard]] inline std::uint16_t crc16_x25(ByteView data) {
    return crc16_x25_extend(0, data);
}

/// Joins checksums over a second part of one fixed length, without its octets. A sender of many
/// messages with the same tail checksums the tail once and needs one multiplication per message.
class Crc32cShift {
public:
    explicit Crc32cShift(std::uint64_t length_bytes);

    /// crc(AB) from crc(A) and crc(B), where B has the length of this object.
    [[nodiscard]] std::uint32_t combine(std::uint32_t crc_a, std::uint32_t crc_b) const {
        return detail::crc32c_active.multiply(crc_a, factor_) ^ crc_b;
    }

private:
    std::uint32_t factor_;
};

[[nodiscard]] inline std::uint32_t crc32c_combine(std::uint32_t crc_a, std::uint32_t crc_b,
                                                  std::uint64_t length_b_bytes) {
    return Crc32cShift(length_b_bytes).combine(crc_a, crc_b);
}

}  // namespace farlink::codec
