// SPDX-License-Identifier: Apache-2.0
// BPv7's half of bp::parse(): reads and checks one bundle (RFC 9171 section 4).
// The view borrows the octets; nothing is allocated.
// Any thread.
#pragma once

#include <span>

#include "common/bp/bundle_view.hpp"
#include "common/bp/v7/block.hpp"
#include "common/codec/cbor.hpp"

namespace farlink::bp::v7 {

/// Reads the primary block alone (section 4.3.1) and checks its CRC.
[[nodiscard]] Result<void, ParseError> read_primary(codec::CborReader &reader, BundleView &view);

/// Whether the payload block's CRC is computed and compared; all others are in any case.
enum class PayloadCrc : std::uint8_t { kVerify, kTrust };

/// Reads everything in front of the payload's data: the primary block, the extension blocks, and
/// the head of the payload block, which goes to `payload`. `view` is fresh.
[[nodiscard]] Result<void, ParseError> parse_head(ByteView head, BundleView &view,
                                                  BlockHead &payload);

/// `view` is fresh except for `size`; slices[0] is not empty. A head that ends early is
/// kTruncated here, even if other slices follow.
[[nodiscard]] Result<void, ParseError> parse(std::span<const ByteView> slices,
                                             PayloadCrc payload_crc, BundleView &view);

}  // namespace farlink::bp::v7
