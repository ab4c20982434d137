// SPDX-License-Identifier: Apache-2.0
// The identity of a bundle as storage remembers it: 128 bits under the store's secret key.
// Owned by StorageCore; one thread.
// Source, creation timestamp and, for a fragment, offset and length (RFC 9171 section 4.2.7).
//
// An equal identity is taken for an equal bundle, and the second one is acknowledged without being
// stored. 128 bits make an accident impossible in practice (10^9 stored bundles: odds of 10^-21),
// and without the key nobody can construct two bundles that collide.
#pragma once

#include "common/base/siphash.hpp"
#include "common/bp/bundle_view.hpp"

namespace farlink::storage {

class IdentityHasher {
public:
    void set_key(const SipKey &key) { key_ = key; }
    [[nodiscard]] Hash128 operator()(const bp::BundleView &bundle);

private:
    SipKey key_{};
    Bytes canonical_;
};

}  // namespace farlink::storage
