// SPDX-License-Identifier: Apache-2.0
// The data of the bundle age and hop count blocks (RFC 9171 sections 4.4.2 and 4.4.3).
// Plain functions.
// Any thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/codec/cbor.hpp"

namespace farlink::bp::v7 {

struct HopCount {
    std::uint64_t limit = 0;
    std::uint64_t count = 0;
};

[[nodiscard]] inline bool read_bundle_age(ByteView data, std::uint64_t &age_ms) {
    codec::CborReader reader(data);
    return reader.uint(age_ms) && reader.done();
}

/// The hop limit must be 1 to 255 (section 4.4.3).
[[nodiscard]] inline bool read_hop_count(ByteView data, HopCount &hops) {
    codec::CborReader reader(data);
    std::uint64_t items = 0;
    if (!reader.array(items) || !reader.uint(hops.limit) || !reader.uint(hops.count)) return false;
    if (items == codec::CborReader::kIndefinite) {
        if (!reader.octet(codec::kCborBreak)) return false;
    } else if (items != 2) {
        return false;
    }
    return reader.done() && hops.limit >= 1 && hops.limit <= 255;
}

}  // namespace farlink::bp::v7
