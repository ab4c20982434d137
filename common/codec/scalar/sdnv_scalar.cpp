// SPDX-License-Identifier: Apache-2.0
#include "common/codec/scalar/sdnv_scalar.hpp"

namespace farlink::codec::scalar {

std::size_t decode_one(ByteView from, std::uint64_t &value, SdnvError &error) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (i == kMaxSdnvBytes || sum >> 57 != 0) {
            error = SdnvError::kTooLarge;
            return 0;
        }
        sum = sum << 7 | (from[i] & 0x7f);
        if (from[i] < 0x80) {
            value = sum;
            return i + 1;
        }
    }
    error = SdnvError::kTruncated;
    return 0;
}

SdnvRun decode_sdnvs(ByteView from, std::span<std::uint64_t> values) {
    SdnvRun run;
    for (; run.count < values.size(); ++run.count) {
        const std::size_t size = decode_one(from.subspan(run.size), values[run.count], run.error);
        if (size == 0) break;
        run.size += size;
    }
    return run;
}

std::size_t encode_sdnv(std::uint64_t value, std::uint8_t *to) {
    const std::size_t size = sdnv_size(value);
    std::uint8_t more = 0;
    for (std::size_t i = size; i-- > 0; value >>= 7, more = 0x80)
        to[i] = static_cast<std::uint8_t>((value & 0x7f) | more);
    return size;
}

}  // namespace farlink::codec::scalar
