// SPDX-License-Identifier: Apache-2.0
// Which blocks BPSec protects: a waypoint must not change signed blocks and cannot read encrypted
// ones. Plain functions over a bundle's head; off the hot path, since bundles without BPSec do not
// need them. Any thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"

namespace farlink::bp::v7 {

/// Whether a security block of type `security_type` (11: BIB, 12: BCB) among `blocks`, the
/// extension blocks of a bundle, lists block `number` as a target (RFC 9172 section 3.6).
[[nodiscard]] bool is_security_target(ByteView blocks, std::uint64_t security_type,
                                      std::uint64_t number);

/// Whether a security source has signed or encrypted block `number`. This node is not the acceptor
/// (RFC 9172 section 5.1), so such a block travels as it is: changing a signed block would make
/// its verification fail, and an encrypted one cannot be read.
[[nodiscard]] bool is_protected(ByteView blocks, std::uint64_t number);

}  // namespace farlink::bp::v7
