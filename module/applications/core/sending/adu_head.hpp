// SPDX-License-Identifier: Apache-2.0
// The octets of an ADU's bundle in front of its payload: BPv7 (RFC 9171) or BPv6 (RFC 5050).
// A value and a plain function, which writes to memory of the caller.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/base/types.hpp"
#include "common/bp/v7/builder.hpp"

namespace farlink::applications {

struct AduFields {
    /// For BPv6 creation time and lifetime are whole seconds.
    bp::v7::PrimaryFields primary;
    std::uint64_t payload_bytes = 0;
    /// Of all blocks but the primary one; BPv6 has none.
    bp::v7::CrcType crc_type = bp::v7::CrcType::kCrc32c;
    std::uint8_t hop_limit = 0;          ///< 0: no hop count block; BPv6 has none
    std::uint8_t version = 7;            ///< of the bundle: 7, or 6
    std::optional<Priority> priority{};  ///< if not given: BPv7 by policy, BPv6 normal
    /// It is for this node, which delivers no bundle in pieces.
    bool whole = false;
};

/// Replaces `head` by all octets in front of the payload; returns where the payload block begins.
[[nodiscard]] std::size_t write_head(const AduFields &fields, Bytes &head);

}  // namespace farlink::applications
