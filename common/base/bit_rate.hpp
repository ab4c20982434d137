// SPDX-License-Identifier: Apache-2.0
// Combines the limits of a link's rate: the configured one and that of its contact.
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
