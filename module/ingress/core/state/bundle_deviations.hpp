// SPDX-License-Identifier: Apache-2.0
// Harmless deviations of bundles from their standard: counted for the neighbour that sends them;
// a strict link deletes such bundles.
// Values; any thread.
#pragma once

#include <cstdint>

#include "common/base/types.hpp"
#include "common/bp/parse.hpp"

namespace farlink::ingress {

/// In the order of cla::ProtocolDeviation from kUnnumberedBlocks on.
enum class BundleDeviation : std::uint8_t {
    kUnnumberedBlocks = 0,  ///< a fragment's blocks have number 0 (RFC 9171 section 4.1)
    kPrimaryWithoutCrc,     ///< and no block integrity block instead (section 4.3.1)
    kAgeBlockMissing,       ///< although there is no creation time (section 4.4.2)
    kCount_,
};

/// The deviations that a link tolerates.
struct BundlePolicy {
    bool strict = false;
    bool allows_missing_age = false;
};

/// Consecutive bundles of one session with the same deviation.
struct DeviationRun {
    UpstreamId from = kNoUpstream;
    BundleDeviation kind{};
    std::uint64_t count = 0;
};

/// True for the few bundles with any deviation.
[[nodiscard]] constexpr bool deviates(const bp::BundleView &view) {
    return view.has_unnumbered || view.primary_without_crc || view.lacks_age;
}

}  // namespace farlink::ingress
