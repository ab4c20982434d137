// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/identity.hpp"

#include <array>

#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage {

Hash128 IdentityHasher::hash(const bp::BundleView &bundle, std::uint64_t arrival) {
    std::array<std::uint8_t, 40> numbers{};
    store_be(&numbers[0], bundle.creation_time);
    store_be(&numbers[8], bundle.sequence);
    numbers[16] = bundle.version;
    if (bundle.is_fragment) {
        numbers[17] = 1;
        store_be(&numbers[24], bundle.fragment_offset);
        store_be(&numbers[32], bundle.payload_length);
    }
    encode_label(bundle.source, canonical_);
    append(canonical_, numbers);
    if (arrival != 0) {
        std::array<std::uint8_t, 8> number{};
        store_be(number.data(), arrival);
        append(canonical_, number);
    }
    return siphash128(key_, canonical_);
}

}  // namespace farlink::storage
