// SPDX-License-Identifier: Apache-2.0
// SDNV octet by octet: runs on every machine, and reads values that other kernels cannot: those
// that are too long or too near the end.
// Plain functions.
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/bytes.hpp"
#include "common/codec/base/sdnv_run.hpp"

namespace farlink::codec::scalar {

/// Reads one value; 0 octets and `error` on failure.
[[nodiscard]] std::size_t decode_one(ByteView from, std::uint64_t &value, SdnvError &error);

[[nodiscard]] SdnvRun decode_sdnvs(ByteView from, std::span<std::uint64_t> values);
[[nodiscard]] std::size_t encode_sdnv(std::uint64_t value, std::uint8_t *to);

}  // namespace farlink::codec::scalar
