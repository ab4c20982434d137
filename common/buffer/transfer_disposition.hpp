// SPDX-License-Identifier: Apache-2.0
// What a node tells the sender of a bundle about it, in layers that acknowledge.
// A value that belongs to whoever holds it.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink {

/// Whether the sender of a bundle may forget it.
enum class TransferDisposition : std::uint8_t {
    kSafe = 0,           ///< held by this node for good, or by the next one
    kNoResources = 1,    ///< no room now; the sender may try again later
    kNotAcceptable = 2,  ///< the bundle itself is bad
};

}  // namespace farlink
