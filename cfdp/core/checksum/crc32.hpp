// SPDX-License-Identifier: Apache-2.0
// The CRCs of files beside CRC-32C: CRC-32 (IEEE 802.3) and that of Proximity-1 (CCSDS 211.2-B).
// Plain functions over borrowed octets; the kernel for this machine is chosen once.
// Any thread may call them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/bytes.hpp"

namespace farlink::cfdp {

/// One implementation of a CRC. Checksums are in their finished form: the CRC of nothing is 0.
struct Crc32Kernel {
    std::string_view name;
    std::uint32_t (*extend)(std::uint32_t crc, const std::uint8_t *data, std::size_t size);
};

/// The kernels that this machine can run, slowest first; tests run them all.
[[nodiscard]] std::span<const Crc32Kernel> crc32_kernels();
[[nodiscard]] std::span<const Crc32Kernel> proximity1_kernels();

/// The CRC of A followed by `data`, from the CRC of A.
[[nodiscard]] std::uint32_t crc32_extend(std::uint32_t crc, ByteView data);
/// Polynomial 0x00a00805, the highest bit first, begins with 0.
[[nodiscard]] std::uint32_t proximity1_extend(std::uint32_t crc, ByteView data);

/// crc(AB) from crc(A) and crc(B).
[[nodiscard]] std::uint32_t crc32_combine(std::uint32_t a, std::uint32_t b, std::uint64_t bytes_b);
[[nodiscard]] std::uint32_t proximity1_combine(std::uint32_t a, std::uint32_t b,
                                               std::uint64_t bytes_b);

}  // namespace farlink::cfdp
