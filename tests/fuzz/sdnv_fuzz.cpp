// SPDX-License-Identifier: Apache-2.0
// Any octets as SDNVs: all kernels read the same, and what is read is written again.
#include <algorithm>
#include <array>

#include "common/base/invariant.hpp"
#include "common/codec/sdnv.hpp"

namespace {

using namespace farlink;

constexpr std::size_t kValues = 16;

void check_written(const codec::SdnvKernel &kernel, std::uint64_t value) {
    std::array<std::uint8_t, codec::kMaxSdnvBytes> octets;
    const std::size_t size = kernel.encode(value, octets.data());
    FARLINK_INVARIANT(size == codec::sdnv_size(value));
    const auto read = codec::decode_sdnv(ByteView(octets).first(size));
    FARLINK_INVARIANT(read && read->value == value && read->size == size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const ByteView octets(data, size);
    std::array<std::uint64_t, kValues> wanted{};
    const auto reference = codec::sdnv_kernels()[0].decode(octets, wanted);
    FARLINK_INVARIANT(reference.size <= size);
    for (const codec::SdnvKernel &kernel : codec::sdnv_kernels()) {
        std::array<std::uint64_t, kValues> values{};
        const auto run = kernel.decode(octets, values);
        FARLINK_INVARIANT(run.count == reference.count && run.size == reference.size);
        FARLINK_INVARIANT(run.count == kValues || run.error == reference.error);
        for (std::size_t i = 0; i < run.count; ++i) {
            FARLINK_INVARIANT(values[i] == wanted[i]);
            check_written(kernel, values[i]);
        }
    }
    return 0;
}
