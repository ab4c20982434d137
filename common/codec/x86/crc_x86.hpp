// SPDX-License-Identifier: Apache-2.0
// CRC kernels for x86-64: the SSE4.2 crc32 instruction, and folding with (V)PCLMULQDQ.
// Plain functions; crc.cpp offers them when the processor has the instructions.
// Any thread.
#pragma once

#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>

namespace farlink::codec::x86 {

/// SSE4.2 and PCLMULQDQ.
[[nodiscard]] std::uint32_t crc32c_sse42(std::uint32_t crc, const std::uint8_t *data,
                                         std::size_t size);
[[nodiscard]] std::uint32_t crc32c_sse42_zeros(std::uint32_t crc, const std::uint8_t *data,
                                               std::size_t size);
[[nodiscard]] std::uint32_t crc32c_multiply(std::uint32_t a, std::uint32_t b);
[[nodiscard]] std::uint16_t crc16_x25_clmul(std::uint16_t crc, const std::uint8_t *data,
                                            std::size_t size);

/// AVX-512 and VPCLMULQDQ; short inputs take the way of the functions above.
[[nodiscard]] std::uint32_t crc32c_vclmul(std::uint32_t crc, const std::uint8_t *data,
                                          std::size_t size);
[[nodiscard]] std::uint32_t crc32c_vclmul_zeros(std::uint32_t crc, const std::uint8_t *data,
                                                std::size_t size);
[[nodiscard]] std::uint16_t crc16_x25_vclmul(std::uint16_t crc, const std::uint8_t *data,
                                             std::size_t size);

}  // namespace farlink::codec::x86

#endif
