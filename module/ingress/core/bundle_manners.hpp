// SPDX-License-Identifier: Apache-2.0
// What bundles do beside their standard that harms nobody: counted for the neighbour who sends
// them, and refused by a link that is strict.
// Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/types.hpp"
#include "common/bp/bundle_view.hpp"

namespace farlink::ingress {

/// In the order of cla::ProtocolDeviation from kUnnumberedBlocks on.
enum class BundleDeparture : std::uint8_t {
    kUnnumberedBlocks = 0,  ///< a fragment's blocks have number 0 (RFC 9171 section 4.1)
    kPrimaryWithoutCrc,     ///< and no block integrity block instead (section 4.3.1)
    kAgeBlockMissing,       ///< although there is no creation time (section 4.4.2)
    kCount_,
};

/// What a link puts up with.
struct BundlePolicy {
    bool strict = false;
    bool allows_missing_age = false;
};

/// Bundles of one session, one behind the other, that did the same.
struct DepartureRun {
    UpstreamId from = kNoUpstream;
    BundleDeparture kind{};
    std::uint64_t count = 0;
};

/// A bundle that was deleted since it is none, or not one that its link takes; for the log.
struct Rejected {
    UpstreamId from = kNoUpstream;
    NodeNumber neighbour;  ///< 0: not known
    std::string_view why;
};

/// Whether the bundle departs from its standard at all, which is rare.
[[nodiscard]] constexpr bool departs(const bp::BundleView &view) {
    return view.has_unnumbered || view.primary_without_crc || view.lacks_age;
}

}  // namespace farlink::ingress
