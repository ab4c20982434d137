// SPDX-License-Identifier: Apache-2.0
// Self-delimiting numeric values (RFC 6256), the integers of BPv6, TCPCLv3 and LTP.
// Plain functions over borrowed octets; the kernel for this machine is chosen once, before main().
// Any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/codec/base/sdnv_run.hpp"

namespace farlink::codec {

struct Sdnv {
    std::uint64_t value = 0;
    std::size_t size = 0;  ///< octets
};

struct SdnvKernel {
    std::string_view name;
    SdnvRun (*decode)(ByteView from, std::span<std::uint64_t> values);
    std::size_t (*encode)(std::uint64_t value, std::uint8_t *to);
};

/// The kernels that this machine can run, slowest first; tests run them all.
[[nodiscard]] std::span<const SdnvKernel> sdnv_kernels();

namespace detail {
extern SdnvKernel sdnv_active;
}

/// Reads values.size() consecutive values.
[[nodiscard]] inline SdnvRun decode_sdnvs(ByteView from, std::span<std::uint64_t> values) {
    return detail::sdnv_active.decode(from, values);
}

[[nodiscard]] inline Result<Sdnv, SdnvError> decode_sdnv(ByteView from) {
    if (!from.empty() && from[0] < 0x80) return Sdnv{from[0], 1};
    Sdnv sdnv;
    const SdnvRun run = decode_sdnvs(from, {&sdnv.value, 1});
    if (run.count == 0) return fail(run.error);
    sdnv.size = run.size;
    return sdnv;
}

/// Writes the shortest form to `to`, which has room for kMaxSdnvBytes; returns its octets.
inline std::size_t encode_sdnv(std::uint64_t value, std::uint8_t *to) {
    if (value < 0x80) {
        *to = static_cast<std::uint8_t>(value);
        return 1;
    }
    return detail::sdnv_active.encode(value, to);
}

void append_sdnv(Bytes &to, std::uint64_t value);

}  // namespace farlink::codec
