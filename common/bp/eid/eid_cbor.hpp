// SPDX-License-Identifier: Apache-2.0
// Endpoint ids in BPv7's CBOR form (RFC 9171 section 4.2.5.1, RFC 9758 section 4).
// Views borrow the octets they were read from; plain functions.
// Any thread.
#pragma once

#include "common/bp/eid/eid.hpp"
#include "common/codec/cbor.hpp"

namespace farlink::bp {

/// Reads any encoding of an endpoint id; false leaves the fault in the reader, or none when the
/// CBOR is in order but does not denote an endpoint.
[[nodiscard]] bool read_eid_slowly(codec::CborReader &reader, EidView &eid);

/// As above, quick for the usual ipn form with two elements.
[[nodiscard]] inline bool read_eid(codec::CborReader &reader, EidView &eid) {
    if (reader.left() >= 3) {
        const std::uint8_t *const at = reader.at();
        if (at[0] == 0x82 && at[1] == 0x02 && at[2] == 0x82) {
            std::uint64_t node = 0;
            std::uint64_t service = 0;
            reader.skip(3);
            if (!reader.uint(node) || !reader.uint(service)) return false;
            eid = ipn_eid(node, service);
            return true;
        }
    }
    return read_eid_slowly(reader, eid);
}

/// An upper bound of what write_eid() writes, in bytes.
[[nodiscard]] inline std::size_t eid_bound(const EidView &eid) {
    return 2 * codec::kMaxCborHeadBytes + 3 + eid.name.size();
}

/// Writes the encoding of RFC 9171 (an ipn id with two elements); returns its end. An endpoint of
/// another scheme than ipn and dtn has no BPv7 form and must not be given.
std::uint8_t *write_eid(std::uint8_t *to, const EidView &eid);

}  // namespace farlink::bp
