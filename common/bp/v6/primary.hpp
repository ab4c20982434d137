// SPDX-License-Identifier: Apache-2.0
// BPv6's primary block (RFC 5050 section 4.5.1) and its compressed form, CBHE (RFC 6260).
// Views borrow the octets they were read from; plain functions.
// Any thread.
#pragma once

#include "common/bp/base/bundle_view.hpp"
#include "common/bp/v6/block.hpp"

namespace farlink::bp::v6 {

inline constexpr std::uint8_t kVersion = 6;
inline constexpr std::uint64_t kMsPerSecond = 1000;

/// The SDNVs between the block length and the dictionary, in the order of the wire.
enum Field : std::size_t {
    kDestination = 0,  // each endpoint: scheme offset, then scheme-specific part offset
    kSource = 2,
    kReportTo = 4,
    kCustodian = 6,
    kCreationTime = 8,
    kSequence = 9,
    kLifetime = 10,
    kDictionaryLength = 11,
    kFieldCount = 12,
};

/// The primary block in wire format.
struct RawPrimary {
    std::uint64_t flags = 0;
    std::uint64_t fields[kFieldCount] = {};
    ByteView dictionary;  ///< empty with CBHE
    std::uint64_t fragment_offset = 0;
    std::uint64_t total_adu_length = 0;
};

[[nodiscard]] Check read_raw_primary(SdnvReader &reader, RawPrimary &raw);

/// The endpoint that a pair of a dictionary's offsets, or CBHE's numbers, denotes.
[[nodiscard]] Check read_endpoint(ByteView dictionary, const std::uint64_t *pair, EidView &eid);

/// Reads the primary block, version octet included, into `view`.
[[nodiscard]] Check read_primary(SdnvReader &reader, BundleView &view);

}  // namespace farlink::bp::v6
