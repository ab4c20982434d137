// SPDX-License-Identifier: Apache-2.0
// The octets of a BPv7 bundle around its payload, from those of its first fragment
// (RFC 9171 section 5.9).
// A plain function over borrowed octets.
// Any thread.
#pragma once

#include "common/bp/reassembly/joined_bundle.hpp"
#include "common/bp/reassembly/whole_octets.hpp"

namespace farlink::bp::v7 {

/// Fills `head` and `tail` of `joined`, which has the payload; false when `first` is malformed.
[[nodiscard]] bool write_whole(const WholeOctets &first, std::uint64_t length,
                               JoinedBundle &joined);

}  // namespace farlink::bp::v7
