// SPDX-License-Identifier: Apache-2.0
// The part of an application data unit that a fragment carries, as administrative records name it.
// A value; no owner.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink::bp {

/// Both in bytes.
struct FragmentExtent {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    friend bool operator==(const FragmentExtent &, const FragmentExtent &) = default;
};

}  // namespace farlink::bp
