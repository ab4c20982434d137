// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/identity.hpp"

#include <algorithm>
#include <array>

#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage {

namespace {

/// An octet of what is hashed; 0: a bundle that is no fragment.
constexpr std::uint8_t kFragmentIdentity = 1;
constexpr std::uint8_t kSetIdentity = 2;
constexpr std::uint8_t kRecordIdentity = 3;

}  // namespace

Hash128 IdentityHasher::hash(const bp::BundleView &bundle, std::uint64_t arrival) {
    std::array<std::uint8_t, 40> numbers{};
    store_be(&numbers[0], bundle.creation_time);
    store_be(&numbers[8], bundle.sequence);
    numbers[16] = bundle.version;
    if (bundle.is_fragment) {
        numbers[17] = kFragmentIdentity;
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

Hash128 IdentityHasher::of_returned(const bp::BundleView &record,
                                    std::span<const ByteView> slices) {
    std::array<std::uint8_t, 40> numbers{};
    store_be(&numbers[0], record.creation_time);
    store_be(&numbers[8], record.sequence);
    numbers[16] = record.version;
    numbers[17] = kRecordIdentity;
    store_be(&numbers[24], record.fragment_offset);
    store_be(&numbers[32], record.payload_length);
    encode_label(record.destination, record.source, canonical_);
    append(canonical_, numbers);
    std::uint64_t skipped = record.payload_offset;
    std::uint64_t left = record.payload_length;
    for (const ByteView slice : slices) {
        const auto before = std::min<std::uint64_t>(skipped, slice.size());
        const auto taken = std::min<std::uint64_t>(left, slice.size() - before);
        append(canonical_, slice.subspan(before, taken));
        skipped -= before;
        left -= taken;
    }
    return siphash128(key_, canonical_);
}

std::uint64_t IdentityHasher::of_source(const bp::BundleView &bundle) {
    encode_label(bundle.source, canonical_);
    return siphash128(key_, canonical_).low;
}

Hash128 IdentityHasher::of_set(const bp::BundleView &fragment) {
    std::array<std::uint8_t, 32> numbers{};
    store_be(&numbers[0], fragment.creation_time);
    store_be(&numbers[8], fragment.sequence);
    numbers[16] = fragment.version;
    numbers[17] = kSetIdentity;
    store_be(&numbers[24], fragment.total_adu_length);
    encode_label(fragment.destination, fragment.source, canonical_);
    append(canonical_, numbers);
    return siphash128(key_, canonical_);
}

// Longer than what of_gathered() hashes, so that the two never agree.
Hash128 IdentityHasher::of_spool(const Hash128 &bundle, std::uint64_t arrival, std::uint64_t spool,
                                 std::size_t instance) const {
    std::array<std::uint8_t, 40> numbers{};
    store_be(&numbers[0], bundle.high);
    store_be(&numbers[8], bundle.low);
    store_be(&numbers[16], arrival);
    store_be(&numbers[24], spool);
    store_be(&numbers[32], std::uint64_t{instance});
    return siphash128(key_, numbers);
}

Hash128 IdentityHasher::of_gathered(const Hash128 &set, const bp::FragmentExtent &extent) const {
    std::array<std::uint8_t, 32> numbers{};
    store_be(&numbers[0], set.high);
    store_be(&numbers[8], set.low);
    store_be(&numbers[16], extent.offset);
    store_be(&numbers[24], extent.length);
    return siphash128(key_, numbers);
}

}  // namespace farlink::storage
