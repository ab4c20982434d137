// SPDX-License-Identifier: Apache-2.0
// Makes the bundles of a run with security blocks: a bundle of the template, then sealed.
// Owned by the generator; the template, the pattern and the sealer outlive it.
// One thread.
#pragma once

#include <vector>

#include "apps/shared/traffic/content/bundle_template.hpp"
#include "apps/shared/traffic/content/payload.hpp"
#include "apps/shared/traffic/security/bundle_sealer.hpp"

namespace farlink::traffic {

class SealedBundles {
public:
    SealedBundles(BundleTemplate &bundles, const Pattern &pattern, BundleSealer &sealer);

    /// An error is a sentence.
    [[nodiscard]] Result<Bytes, std::string> make(const PayloadHeader &header);

private:
    BundleTemplate &bundles_;
    BundleSealer &sealer_;
    Bytes head_;
    std::array<std::uint8_t, BundleTemplate::kMaxTrailerBytes> trailer_{};
    std::vector<ByteView> slices_;  ///< head, pattern, trailer
};

}  // namespace farlink::traffic
