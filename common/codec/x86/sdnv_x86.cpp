// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include "common/codec/x86/sdnv_x86.hpp"

#include <immintrin.h>

#include "common/codec/scalar/sdnv_scalar.hpp"

namespace farlink::codec::x86 {
namespace {

constexpr std::uint64_t kGroups = 0x7f7f7f7f7f7f7f7fULL;
constexpr std::uint64_t kMore = 0x8080808080808080ULL;
constexpr std::size_t kWord = 8;

}  // namespace

__attribute__((target("bmi,bmi2"))) SdnvRun decode_sdnvs(ByteView from,
                                                         std::span<std::uint64_t> values) {
    SdnvRun run;
    for (; run.count < values.size(); ++run.count) {
        const ByteView rest = from.subspan(run.size);
        std::size_t size = 0;
        if (!rest.empty() && rest[0] < 0x80) {
            // Most values are this short; a predicted branch is quicker than what follows.
            values[run.count] = rest[0];
            size = 1;
        } else if (rest.size() >= kWord) {
            const auto octets = load_be<std::uint64_t>(rest.data());
            const std::uint64_t ends = ~octets & kMore;
            if (ends != 0) {
                const auto unused = static_cast<unsigned>(56 - (std::countl_zero(ends) & ~7));
                values[run.count] = _pext_u64(octets >> unused, kGroups);
                size = kWord - unused / 8;
            }
        }
        if (size == 0) size = scalar::decode_one(rest, values[run.count], run.error);
        if (size == 0) break;
        run.size += size;
    }
    return run;
}

__attribute__((target("bmi,bmi2"))) std::size_t encode_sdnv(std::uint64_t value, std::uint8_t *to) {
    if (value >> 56 != 0) return scalar::encode_sdnv(value, to);
    const std::size_t size = sdnv_size(value);
    const std::uint64_t octets = _pdep_u64(value, kGroups) | (kMore & ~std::uint64_t{0x80});
    store_be(to, octets << (64 - 8 * size));
    return size;
}

}  // namespace farlink::codec::x86

#endif
