// SPDX-License-Identifier: Apache-2.0
// CBOR items of any kind: where one ends, and its deterministic encoding (RFC 8949 section 4.2.1).
// Plain functions over borrowed octets.
// Any thread.
#pragma once

#include "common/base/bytes.hpp"
#include "common/codec/cbor.hpp"

namespace farlink::bp::bpsec {

/// Items that lie in each other; deeper ones are refused.
inline constexpr unsigned kDeepestItem = 8;

/// Reads one well-formed item and returns its octets; false leaves the reader anywhere.
[[nodiscard]] bool read_item(codec::CborReader &reader, ByteView &item);

/// Appends the deterministic encoding of one item of integers, byte and text strings and arrays:
/// shortest heads, definite lengths. False where the item has anything else.
[[nodiscard]] bool write_deterministic(ByteView item, Bytes &to);

}  // namespace farlink::bp::bpsec
