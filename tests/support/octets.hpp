// SPDX-License-Identifier: Apache-2.0
// Octets to send and to compare: reproducible contents, and slices joined again.
// Plain functions for tests.
// Any thread.
#pragma once

#include <span>

#include "common/base/bytes.hpp"
#include "common/base/random.hpp"

namespace farlink::test {

/// The same octets for the same arguments.
inline Bytes octets_of(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    Bytes octets(size);
    for (std::uint8_t &octet : octets) octet = static_cast<std::uint8_t>(random.next());
    return octets;
}

inline Bytes joined(std::span<const ByteView> slices) {
    Bytes whole;
    for (const ByteView slice : slices) append(whole, slice);
    return whole;
}

}  // namespace farlink::test
