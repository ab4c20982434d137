// SPDX-License-Identifier: Apache-2.0
// The place of a fragment in its application data unit, and among the fragments of one bundle.
// A value; no owner.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink::bp {

struct FragmentPlace {
    std::uint64_t offset = 0;            ///< bytes, in the application data unit
    std::uint64_t total_adu_length = 0;  ///< bytes
    bool first = false;                  ///< of the fragments of the bundle that is cut
};

}  // namespace farlink::bp
