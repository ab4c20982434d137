// SPDX-License-Identifier: Apache-2.0
// The answer to the sender of a bundle, in convergence layers that acknowledge.
// A value.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink {

/// Whether the sender of a bundle may delete it.
enum class TransferDisposition : std::uint8_t {
    kSafe = 0,           ///< flushed to disk here, or accepted by the next hop
    kNoResources = 1,    ///< no room now; the sender may try again later
    kNotAcceptable = 2,  ///< the bundle itself is invalid
};

}  // namespace farlink
