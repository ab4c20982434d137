// SPDX-License-Identifier: Apache-2.0
// The head of a bundle that is to be forwarded: all octets in front of the payload's data.
// A value that borrows the octets.
// Any thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"

namespace farlink::bp {

/// The head of a bundle as parse() found it: octets [0, head_end) and where the primary block ends.
struct BundleHead {
    ByteView octets;
    std::uint32_t primary_end = 0;
    std::uint8_t version = 7;
    /// BPv7: a bundle without a hop count block gets one with this limit; 0: it does not.
    std::uint8_t hop_limit = 0;
};

}  // namespace farlink::bp
