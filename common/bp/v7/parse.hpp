// SPDX-License-Identifier: Apache-2.0
// BPv7's half of bp::parse(): reads and checks one bundle (RFC 9171 section 4).
// The view borrows the octets; nothing is allocated.
// Any thread.
#pragma once

#include <span>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/bp/base/bundle_view.hpp"
#include "common/bp/base/parse_error.hpp"
#include "common/codec/cbor.hpp"

namespace farlink::bp::v7 {

/// Reads the primary block alone (section 4.3.1) and checks its CRC.
[[nodiscard]] Result<void, ParseError> read_primary(codec::CborReader &reader, BundleView &view);

/// Whether the payload block's CRC is computed and compared; all others are in any case. kLater:
/// nothing behind the head of the payload block is read, which may not be here yet.
enum class PayloadCrc : std::uint8_t { kVerify, kTrust, kLater };

/// `view` is fresh except for `size`; slices[0] is not empty. A head that ends early is
/// kTruncated here, even if other slices follow.
[[nodiscard]] Result<void, ParseError> parse(std::span<const ByteView> slices,
                                             PayloadCrc payload_crc, BundleView &view);

/// Of a bundle in one piece, with its payload's CRC; one of another version is kUnknownVersion.
[[nodiscard]] Result<BundleView, ParseError> parse_whole(ByteView bundle);

}  // namespace farlink::bp::v7
