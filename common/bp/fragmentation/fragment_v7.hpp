// SPDX-License-Identifier: Apache-2.0
// The octets of a BPv7 fragment around its part of the payload (RFC 9171 sections 4.3.1 and 5.8).
// Plain functions over borrowed octets.
// Any thread.
#pragma once

#include <span>

#include "common/bp/fragmentation/fragment_place.hpp"
#include "common/bp/v7/block.hpp"

namespace farlink::bp::v7 {

/// What a fragment's head can be longer than that of its bundle, in bytes.
inline constexpr std::size_t kFragmentHeadGrowth = 3 * codec::kMaxCborHeadBytes + 8;

/// Writes the primary block and the extension blocks; returns their end. `head` is a bundle's up to
/// the payload block.
std::uint8_t *write_fragment_blocks(std::uint8_t *to, ByteView head, std::uint32_t primary_end,
                                    const FragmentPlace &place);

/// An upper bound of write_payload_head() for a payload of at most `length` bytes.
[[nodiscard]] std::size_t payload_head_size(const BlockHead &payload, std::uint64_t length);
/// The payload block up to its data.
std::uint8_t *write_payload_head(std::uint8_t *to, const BlockHead &payload, std::uint64_t length);

/// The octets behind the data: the CRC and the break of the bundle.
[[nodiscard]] std::size_t payload_tail_size(const BlockHead &payload);
/// Writes them; `slices` have the payload at [from, end).
std::uint8_t *write_payload_tail(std::uint8_t *to, const BlockHead &payload, ByteView payload_head,
                                 std::span<const ByteView> slices, std::uint64_t from,
                                 std::uint64_t end);

}  // namespace farlink::bp::v7
