// SPDX-License-Identifier: Apache-2.0
// The bundle age block of a bundle that came without the one it must have (RFC 9171 section 4.4.2).
// A plain function over octets that the caller owns; off the hot path.
// Any thread.
#pragma once

#include "common/base/bytes.hpp"

namespace farlink::bp::v7 {

/// A bundle age block that says 0, with the lowest number that none of `blocks` has: all extension
/// blocks of the bundle, as parse() has accepted them. Empty when no number is left.
[[nodiscard]] Bytes make_age_block(ByteView blocks);

}  // namespace farlink::bp::v7
