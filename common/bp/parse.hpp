// SPDX-License-Identifier: Apache-2.0
// Parses and checks bundles of both versions, BPv6 (RFC 5050) and BPv7 (RFC 9171).
// The view borrows the octets it was parsed from; plain functions, any thread.
// The codecs proper are in v6/ and v7/.
#pragma once

#include <span>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/bp/base/bundle_view.hpp"
#include "common/bp/base/parse_error.hpp"

namespace farlink::bp {

/// Parses and checks one bundle of either version; every CRC is verified, the payload's too.
/// `slices` are its octets in order. The head (all blocks before the payload block, and the
/// payload block's own header) must lie in slices[0], else the answer is
/// ParseError::kHeadNotContiguous and the caller joins the slices and calls again.
[[nodiscard]] Result<BundleView, ParseError> parse(std::span<const ByteView> slices);

/// As parse(), for octets that parse() has accepted before and that were since in memory or under a
/// log's checksum: the payload's CRC is not computed again.
[[nodiscard]] Result<BundleView, ParseError> parse_again(std::span<const ByteView> slices);

/// Reads only the primary block from the beginning of a bundle; properties from other blocks keep
/// their initial values. For the kept heads of deleted bundles.
[[nodiscard]] Result<BundleView, ParseError> parse_primary(ByteView head);

}  // namespace farlink::bp
