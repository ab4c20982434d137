// SPDX-License-Identifier: Apache-2.0
// The identity of a bundle as storage remembers it: 128 bits under the store's secret key.
// Owned by StorageCore; one thread.
// Source, creation timestamp and, for a fragment, offset and length (RFC 9171 section 4.2.7). A
// bundle without a source, and an administrative record, get one of their own each time they come
// (bp::BundleView::has_identity()); a copy has the arrival of its original, and so its identity. A
// record in a routing loop is told by its payload, so that it does not multiply.
//
// An equal identity is taken for an equal bundle, and the second one is acknowledged without being
// stored. 128 bits make an accident impossible in practice (10^9 stored bundles: odds of 10^-21),
// and without the key it is impossible to construct two bundles that collide.
#pragma once

#include <span>

#include "common/base/siphash.hpp"
#include "common/bp/base/fragment_extent.hpp"
#include "common/bp/parse.hpp"

namespace farlink::storage {

class IdentityHasher {
public:
    void set_key(const SipKey &key) { key_ = key; }
    [[nodiscard]] Hash128 operator()(const bp::BundleView &bundle) { return hash(bundle, 0); }
    /// Of a bundle that has come; `arrival` is its number, which no other ever gets.
    [[nodiscard]] Hash128 of_received(const bp::BundleView &bundle, std::uint64_t arrival) {
        return hash(bundle, bundle.has_identity() ? 0 : arrival);
    }
    /// Of an administrative record that has come back, by all its octets that nodes do not change.
    [[nodiscard]] Hash128 of_returned(const bp::BundleView &record,
                                      std::span<const ByteView> slices);
    /// Of all fragments of a bundle that state the same total length and destination.
    [[nodiscard]] Hash128 of_set(const bp::BundleView &fragment);
    /// Of a fragment that is joined with others of its set: a forged one with another total length
    /// or destination is not taken for it.
    [[nodiscard]] Hash128 of_gathered(const Hash128 &set, const bp::FragmentExtent &extent) const;
    /// Of all pieces of a bundle that come together: one arrival of a bundle too large for memory.
    [[nodiscard]] Hash128 of_spool(const Hash128 &bundle, std::uint64_t arrival,
                                   std::uint64_t spool, std::size_t instance) const;
    /// Of one of these pieces.
    [[nodiscard]] Hash128 of_piece(const Hash128 &spool, const bp::FragmentExtent &extent) const {
        return of_gathered(spool, extent);
    }
    /// A hash of its source.
    [[nodiscard]] std::uint64_t of_source(const bp::BundleView &bundle);

private:
    [[nodiscard]] Hash128 hash(const bp::BundleView &bundle, std::uint64_t arrival);

    SipKey key_{};
    Bytes canonical_;
};

}  // namespace farlink::storage
