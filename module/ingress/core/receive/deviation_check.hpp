// SPDX-License-Identifier: Apache-2.0
// Counts bundles that deviate from their standard, and decides which of them their link rejects.
// Owned by BundleReceiver.
// One thread.
#pragma once

#include <optional>

#include "common/bp/parse.hpp"
#include "common/buffer/ring.hpp"
#include "module/ingress/core/state/bundle_deviations.hpp"

namespace farlink::ingress {

class DeviationCheck {
public:
    /// Why the link rejects this bundle; empty when its policy tolerates the deviations.
    [[nodiscard]] std::optional<bp::ParseError> find_fault(const bp::BundleView &view,
                                                           UpstreamId from, BundlePolicy policy);
    /// The deviations that were counted.
    [[nodiscard]] std::optional<DeviationRun> poll();

private:
    void count(UpstreamId from, BundleDeviation kind);

    Ring<DeviationRun> deviations_;
};

}  // namespace farlink::ingress
