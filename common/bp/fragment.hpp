// SPDX-License-Identifier: Apache-2.0
// Splits a bundle of either version into two fragments.
// A plain function over a contiguous bundle; the rules are in v6/bundle.cpp and v7/bundle.cpp.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "common/base/bytes.hpp"

namespace farlink::bp {

/// The fragments before and from byte `split_at` of the payload (RFC 9171 section 5.8); empty if
/// the bundle is malformed, must not be fragmented, or a part would be empty.
[[nodiscard]] std::optional<std::pair<Bytes, Bytes>> fragment(ByteView bundle,
                                                              std::uint64_t split_at);

}  // namespace farlink::bp
