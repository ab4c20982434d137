// SPDX-License-Identifier: Apache-2.0
// BPv6's primary block (RFC 5050 section 4.5.1) and its compressed form, CBHE (RFC 6260).
// Views borrow the octets they were read from; plain functions.
// Any thread.
#pragma once

#include "common/bp/bundle_view.hpp"
#include "common/bp/v6/block.hpp"

namespace farlink::bp::v6 {

inline constexpr std::uint8_t kVersion = 6;
inline constexpr std::uint64_t kMsPerSecond = 1000;

/// Reads the primary block, version octet included, into `view`; `dictionary` is empty with CBHE.
[[nodiscard]] Check read_primary(SdnvReader &reader, BundleView &view, ByteView &dictionary);

}  // namespace farlink::bp::v6
