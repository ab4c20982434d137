// SPDX-License-Identifier: Apache-2.0
// The octets of a BPv6 fragment around its part of the payload (RFC 5050 sections 4.5.1 and 5.8).
// Plain functions over borrowed octets.
// Any thread.
#pragma once

#include "common/bp/fragmentation/fragment_place.hpp"
#include "common/bp/v6/block.hpp"

namespace farlink::bp::v6 {

/// What a fragment's head can be longer than that of its bundle, in bytes.
inline constexpr std::size_t kFragmentHeadGrowth = 5 * codec::kMaxSdnvBytes;

/// Writes the primary block and the blocks before the payload block; returns their end. `head` is a
/// bundle's up to the payload block.
std::uint8_t *write_fragment_blocks(std::uint8_t *to, ByteView head, std::uint32_t primary_end,
                                    const FragmentPlace &place);

/// An upper bound of write_payload_head() for a payload of at most `length` bytes; `payload_head`
/// is the bundle's payload block up to its data.
[[nodiscard]] std::size_t payload_head_size(ByteView payload_head, std::uint64_t length);
/// The payload block up to its data; `is_last`: no block follows it.
std::uint8_t *write_payload_head(std::uint8_t *to, ByteView payload_head, std::uint64_t length,
                                 bool is_last);

/// Of blocks behind the payload, those that go into every fragment, the last one marked as last.
std::uint8_t *write_replicated(std::uint8_t *to, ByteView trailing);

}  // namespace farlink::bp::v6
