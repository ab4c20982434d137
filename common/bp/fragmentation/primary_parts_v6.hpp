// SPDX-License-Identifier: Apache-2.0
// The fields of a BPv6 primary block that a bundle and its fragments have in common
// (RFC 5050 section 4.5.1).
// Borrows the block; plain functions.
// Any thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"

namespace farlink::bp::v6 {

struct PrimaryParts {
    std::uint64_t flags = 0;
    ByteView kept;  ///< from the destination to the dictionary, octet for octet
};

/// `primary` is of a bundle that parse() accepted.
[[nodiscard]] bool read_primary_parts(ByteView primary, PrimaryParts &parts);

/// Writes the version, the flags and the length of what follows them.
std::uint8_t *write_primary_begin(std::uint8_t *to, std::uint64_t flags, std::size_t length);

}  // namespace farlink::bp::v6
