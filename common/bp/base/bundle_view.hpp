// SPDX-License-Identifier: Apache-2.0
// The properties of a bundle that forwarding needs, as parsing found them, without a copy.
// Borrows the octets that were parsed; a value.
// Any thread. One type for BPv6 (RFC 5050) and BPv7 (RFC 9171).
#pragma once

#include <cstdint>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bp {

inline constexpr std::uint8_t kBpVersion6 = 6;  ///< RFC 5050; the first octet of its bundles

/// The actions that block processing control flags demand for unknown blocks
/// (RFC 9171 section 4.2.4, RFC 5050 section 4.3).
struct UnknownBlocks {
    bool present = false;
    bool report = false;         ///< send a reception report, reason "block unsupported"
    bool delete_bundle = false;  ///< the bundle must be deleted
    bool discard = false;        ///< at least one block must be discarded at this hop
};

struct BundleView {
    std::uint8_t version = 0;
    std::uint64_t flags = 0;  ///< bundle processing control flags of that version, as on the wire
    EidView destination;
    EidView source;
    EidView report_to;
    EidView custodian;                   ///< BPv6 only
    std::uint64_t creation_time = 0;     ///< BPv7: DTN milliseconds, BPv6: DTN seconds; 0: no clock
    std::uint64_t sequence = 0;          ///< creation timestamp's sequence number
    std::uint64_t lifetime_ms = 0;       ///< BPv6's seconds are converted (saturating)
    std::uint64_t fragment_offset = 0;   ///< bytes; when is_fragment
    std::uint64_t total_adu_length = 0;  ///< bytes; when is_fragment
    std::uint64_t age_ms = 0;            ///< bundle age block, when has_age
    NodeNumber previous_node;            ///< BPv7, as the bundle claims; 0: none of scheme ipn
    std::uint64_t payload_offset = 0;    ///< of the payload's data in the bundle, bytes
    std::uint64_t payload_length = 0;    ///< bytes
    std::uint64_t size = 0;              ///< bytes of the whole bundle
    std::uint32_t primary_end = 0;       ///< end of the primary block
    std::uint32_t head_end = 0;          ///< start of the payload block
    std::uint32_t hop_limit = 0;         ///< when has_hop_count
    std::uint32_t hop_count = 0;
    Priority priority = Priority::kNormal;  ///< BPv6 class of service; kNormal for BPv7
    std::uint8_t requests = 0;              ///< kReport* bits of common/buffer/batch.hpp
    std::uint8_t ordinal = 0;               ///< when has_extended_class
    bool is_fragment = false;
    bool is_admin_record = false;
    bool must_not_fragment = false;
    bool custody_requested = false;   ///< BPv6
    bool has_extended_class = false;  ///< BPv6: there is an extended class of service block
    bool critical = false;            ///< by that block
    bool has_age = false;
    bool has_hop_count = false;
    bool trailing_blocks = false;  ///< BPv6: blocks follow the payload block
    bool primary_without_crc = false;
    bool primary_signed = false;  ///< BPv7, looked for where there is no CRC: a BIB targets it
    bool has_unnumbered = false;  ///< BPv7 fragment: extension blocks with block number 0
    bool lacks_age = false;       ///< BPv7: neither creation time nor bundle age block
    UnknownBlocks unknown;

    /// The first DTN time at which the lifetime is exceeded (RFC 9171 section 5.5: an age equal to
    /// the lifetime has not expired), for a bundle received at `now_ms` (DTN milliseconds): behind
    /// creation + lifetime, or behind what bundle age leaves when the source had no clock
    /// (section 4.4.2).
    [[nodiscard]] DtnTime expiry(DtnTime now_ms) const;
    /// False for a bundle that must not be taken for another one with the same identity(): one
    /// without a source (RFC 9171 section 4.2.3), and an administrative record, since some nodes
    /// give all their records of one second the same creation timestamp.
    [[nodiscard]] bool has_identity() const { return !source.is_null() && !is_admin_record; }
    /// Hash of source, creation timestamp and, for a fragment, offset and payload length: the
    /// bundle's identity (RFC 9171 section 4.2.7), equal for every encoding of it.
    [[nodiscard]] std::uint64_t identity() const;
};

}  // namespace farlink::bp
