// SPDX-License-Identifier: Apache-2.0
// SDNV with BMI2: one pext or pdep moves the seven-bit groups of up to eight octets at once.
// Plain functions; sdnv.cpp offers them when the processor has the instructions.
// Any thread.
#pragma once

#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/bytes.hpp"
#include "common/codec/base/sdnv_run.hpp"

namespace farlink::codec::x86 {

[[nodiscard]] SdnvRun decode_sdnvs(ByteView from, std::span<std::uint64_t> values);
[[nodiscard]] std::size_t encode_sdnv(std::uint64_t value, std::uint8_t *to);

}  // namespace farlink::codec::x86

#endif
