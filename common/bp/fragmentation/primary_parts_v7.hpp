// SPDX-License-Identifier: Apache-2.0
// The fields of a BPv7 primary block that a bundle and its fragments have in common
// (RFC 9171 section 4.3.1).
// Borrows the block; plain functions.
// Any thread.
#pragma once

#include "common/bp/v7/block.hpp"

namespace farlink::bp::v7 {

struct PrimaryParts {
    std::uint64_t flags = 0;
    CrcType crc_type = CrcType::kNone;
    ByteView kept;  ///< from the destination to the lifetime, octet for octet
};

/// `primary` is a bundle that parse() accepted, up to the end of its primary block.
[[nodiscard]] bool read_primary_parts(ByteView primary, PrimaryParts &parts);

/// Writes the begin of the bundle and of a primary block with `items` items beside the CRC, up to
/// the kept fields. The block itself begins one octet behind `to`.
std::uint8_t *write_primary_parts(std::uint8_t *to, const PrimaryParts &parts, std::uint64_t flags,
                                  std::uint64_t items);

}  // namespace farlink::bp::v7
