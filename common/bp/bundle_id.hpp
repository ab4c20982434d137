// SPDX-License-Identifier: Apache-2.0
// The identity of a bundle as text: SOURCE/TIME/SEQUENCE, and /OFFSET+LENGTH of a fragment.
// A value and plain functions.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/bp/base/fragment_extent.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/bp/parse.hpp"

namespace farlink::bp {

/// RFC 9171 section 4.2.7, RFC 5050 section 4.5.1.
struct BundleId {
    Eid source;
    std::uint64_t creation_time = 0;  ///< BPv7: DTN milliseconds, BPv6: DTN seconds; 0: no clock
    std::uint64_t sequence = 0;
    std::optional<FragmentExtent> fragment;  ///< of a fragment: its part of the payload
    friend bool operator==(const BundleId &, const BundleId &) = default;
};

[[nodiscard]] BundleId id_of(const BundleView &view);

/// "ipn:10.1/757000000000/3", "dtn://node/camera/757000000000/3/1000+500".
[[nodiscard]] std::string to_string(const BundleId &id);

}  // namespace farlink::bp
