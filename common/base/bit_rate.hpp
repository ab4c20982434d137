// SPDX-License-Identifier: Apache-2.0
// How limits of a link's rate join: what is configured, and what its contact gives.
// Plain functions, no owner, any thread.
// A BitRate of 0 means unlimited, so the smaller number is not always the slower rate.
#pragma once

#include "common/base/types.hpp"

namespace farlink {

/// The smaller of two rates, of which 0 means unlimited.
[[nodiscard]] constexpr BitRate slower_of(BitRate one, BitRate other) {
    if (one.value() == 0) return other;
    if (other.value() == 0) return one;
    return one < other ? one : other;
}

}  // namespace farlink
