// SPDX-License-Identifier: Apache-2.0
// Makes BPv7 bundles (RFC 9171 section 4.3): the primary block into a caller's memory, whole
// bundles into memory of their own. A Builder belongs to the function that makes a bundle.
// One thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/bp/v7/block.hpp"

namespace farlink::bp::v7 {

/// The primary block's content. A fragment has kIsFragment in its flags.
struct PrimaryFields {
    std::uint64_t flags = 0;
    CrcType crc_type = CrcType::kCrc32c;
    EidView destination;
    EidView source;
    EidView report_to;
    std::uint64_t creation_time_ms = 0;
    std::uint64_t sequence = 0;
    std::uint64_t lifetime_ms = 0;
    std::uint64_t fragment_offset = 0;
    std::uint64_t total_adu_length = 0;
};

/// An upper bound of what encode_primary() writes, in bytes.
[[nodiscard]] std::size_t primary_bound(const PrimaryFields &fields);

/// Writes the primary block with its CRC to `out` (at least primary_bound() bytes) and returns its
/// size. Nothing is allocated.
std::size_t encode_primary(const PrimaryFields &fields, MutableBytes out);

class Builder {
public:
    explicit Builder(const PrimaryFields &primary);

    /// Adds an extension block with this number, or with the next one that is free.
    void add_block(std::uint64_t type, std::uint64_t flags, CrcType crc_type, ByteView data);
    void add_block(std::uint64_t type, std::uint64_t number, std::uint64_t flags, CrcType crc_type,
                   ByteView data);
    void add_hop_count(std::uint8_t limit, std::uint64_t count = 0);
    void add_bundle_age(std::uint64_t age_ms);

    /// Adds the payload block, which ends the bundle.
    [[nodiscard]] Bytes finish(ByteView payload, CrcType crc_type = CrcType::kCrc32c,
                               std::uint64_t flags = 0) &&;

private:
    Bytes octets_;
    std::uint64_t next_number_ = 2;
};

}  // namespace farlink::bp::v7
