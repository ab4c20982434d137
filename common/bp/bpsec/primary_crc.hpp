// SPDX-License-Identifier: Apache-2.0
// The primary block's encoding and its CRC, which goes where a BIB protects the block
// (RFC 9173 section 3.8.1).
// Plain functions over octets that bp::parse() has accepted.
// Any thread.
#pragma once

#include "common/base/bytes.hpp"
#include "common/bp/v7/block.hpp"

namespace farlink::bp::bpsec {

[[nodiscard]] v7::CrcType primary_crc_type(ByteView primary);

/// Whether an item is in the deterministic encoding already, which is the usual case.
[[nodiscard]] bool is_deterministic_array(ByteView item);

/// The same primary block with another CRC type, in deterministic encoding.
[[nodiscard]] Bytes with_crc_type(ByteView primary, v7::CrcType type);

}  // namespace farlink::bp::bpsec
