// SPDX-License-Identifier: Apache-2.0
// Bundles by a number: a hash of what identifies them, and of their destination.
// Owned by Deliveries; one thread.
// The hash has a secret key: senders choose time stamps, and must not be able to make theirs equal
// those of others.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/siphash.hpp"
#include "common/bp/parse.hpp"

namespace farlink::applications {

/// Equal for equal bundles (source, destination, creation time, sequence number, version); not 0.
/// The lowest bits are those of the sequence number: the bundles of a flow have keys that follow
/// one another, eight at a time.
class BundleKeys {
public:
    explicit BundleKeys(const SipKey &key) : key_(key) {}

    /// `source` and `destination`: as text.
    [[nodiscard]] std::uint64_t of(const bp::BundleView &bundle, std::string_view source,
                                   std::string_view destination) {
        octets_.resize(kNumberBytes);
        store_be(&octets_[0], bundle.creation_time);
        store_be(&octets_[8], bundle.sequence & ~kTogether);
        octets_[16] = bundle.version;
        append(octets_, as_bytes(source));
        octets_.push_back(' ');
        append(octets_, as_bytes(destination));
        const std::uint64_t hash = siphash128(key_, octets_).low;
        const std::uint64_t key = (hash & ~kTogether) | (bundle.sequence & kTogether);
        return key == 0 ? kTogether + 1 : key;
    }

private:
    static constexpr std::size_t kNumberBytes = 17;
    static constexpr std::uint64_t kTogether = 7;

    SipKey key_;
    Bytes octets_;
};

}  // namespace farlink::applications
