// SPDX-License-Identifier: Apache-2.0
// Makes the bundle age block of a bundle that lacks the required one (RFC 9171 section 4.4.2).
// A plain function over octets that the caller owns; off the hot path.
// Any thread.
#pragma once

#include "common/base/bytes.hpp"

namespace farlink::bp::v7 {

/// A bundle age block with age 0 and the lowest number that is free in `blocks`: all extension
/// blocks of a bundle that parse() has accepted. Empty when no number is free.
[[nodiscard]] Bytes make_age_block(ByteView blocks);

}  // namespace farlink::bp::v7
