// SPDX-License-Identifier: Apache-2.0
// BPv6's half of bp::parse(): reads and checks one bundle (RFC 5050 section 4).
// The view borrows the octets; nothing is allocated.
// Any thread.
#pragma once

#include <span>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/bp/base/bundle_view.hpp"
#include "common/bp/base/parse_error.hpp"
#include "common/bp/v6/block.hpp"

namespace farlink::bp::v6 {

/// Reads everything in front of the payload's data: the primary block, the blocks before the
/// payload block, and the head of the payload block, which goes to `payload`. `view` is fresh.
[[nodiscard]] Result<void, ParseError> parse_head(ByteView head, BundleView &view,
                                                  BlockHead &payload);

/// `view` is fresh except for `size`; slices[0] is not empty. A head that ends early is
/// kTruncated here, even if other slices follow. Blocks behind the payload must be in one slice,
/// else the result is kHeadNotContiguous.
[[nodiscard]] Result<void, ParseError> parse(std::span<const ByteView> slices, BundleView &view);

/// Of a bundle in one piece; one of another version is kUnknownVersion.
[[nodiscard]] Result<BundleView, ParseError> parse_whole(ByteView bundle);

}  // namespace farlink::bp::v6
