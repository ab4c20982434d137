// SPDX-License-Identifier: Apache-2.0
#include "common/codec/sdnv.hpp"

#include <vector>

#include "common/codec/scalar/sdnv_scalar.hpp"
#include "common/codec/x86/features.hpp"
#include "common/codec/x86/sdnv_x86.hpp"

namespace farlink::codec {
namespace {

constexpr SdnvKernel kScalar{"scalar", &scalar::decode_sdnvs, &scalar::encode_sdnv};

std::vector<SdnvKernel> usable_kernels() {
    std::vector<SdnvKernel> kernels{kScalar};
#if defined(__x86_64__)
    if (x86::has_bmi2()) kernels.push_back({"bmi2", &x86::decode_sdnvs, &x86::encode_sdnv});
#endif
    return kernels;
}

}  // namespace

std::span<const SdnvKernel> sdnv_kernels() {
    static const std::vector<SdnvKernel> kernels = usable_kernels();
    return kernels;
}

void append_sdnv(Bytes &to, std::uint64_t value) {
    std::uint8_t octets[kMaxSdnvBytes];
    append(to, {octets, encode_sdnv(value, octets)});
}

namespace detail {

// Usable (scalar) from the first instruction of the program, the best one before main().
constinit SdnvKernel sdnv_active = kScalar;

namespace {
[[maybe_unused]] const bool kResolved = [] {
    sdnv_active = sdnv_kernels().back();
    return true;
}();
}  // namespace

}  // namespace detail

}  // namespace farlink::codec
