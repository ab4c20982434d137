// SPDX-License-Identifier: Apache-2.0
// Small valid BPv7 bundles for storage tests, encoded by hand (RFC 9171 section 4).
// Plain functions.
// Not fast and not complete: just enough to be parsed.
#pragma once

#include <algorithm>
#include <cstdint>

#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/buffer/batch.hpp"

namespace farlink::test {

struct BundleSpec {
    std::uint64_t destination_node = 20;  ///< 0: the endpoint dtn://far/away
    std::uint64_t source_node = 10;       ///< 0: dtn:none
    std::uint64_t sequence = 1;           ///< with the source it is the bundle's identity
    std::uint64_t payload_bytes = 100;
    DtnTime created = 800'000'001'000;
    std::uint64_t lifetime_ms = 3'600'000;
    Priority priority = Priority::kNormal;
    std::uint64_t previous_node = 0;  ///< 0: no such block
    bool report_deletion = false;
    bool critical = false;
    bool record = false;        ///< an administrative record
    bool circling = false;      ///< it has come back to this node
    std::uint64_t arrival = 0;  ///< 0: the next one
};

inline BundleSpec bundle_numbered(std::uint64_t sequence) {
    BundleSpec one;
    one.sequence = sequence;
    return one;
}
inline std::vector<BundleSpec> bundles_numbered(std::uint64_t first, std::uint64_t last,
                                                BundleSpec base = {}) {
    std::vector<BundleSpec> all;
    for (base.sequence = first; base.sequence <= last; ++base.sequence) all.push_back(base);
    return all;
}

inline void put_head(Bytes &out, std::uint8_t major, std::uint64_t value) {
    std::uint8_t octets[9];
    const auto type = static_cast<std::uint8_t>(major << 5);
    store_be(&octets[1], value);
    if (value < 24) {
        out.push_back(static_cast<std::uint8_t>(type | value));
    } else if (value < 256) {
        append(out, Bytes{static_cast<std::uint8_t>(type | 24), octets[8]});
    } else if (value < 65536) {
        append(out, Bytes{static_cast<std::uint8_t>(type | 25), octets[7], octets[8]});
    } else if (value <= 0xffffffff) {
        octets[4] = static_cast<std::uint8_t>(type | 26);
        append(out, ByteView(octets).subspan(4));
    } else {
        octets[0] = static_cast<std::uint8_t>(type | 27);
        append(out, octets);
    }
}

inline void put_ipn(Bytes &out, std::uint64_t node, std::uint64_t service) {
    append(out, Bytes{0x82, 0x02, 0x82});
    put_head(out, 0, node);
    put_head(out, 0, service);
}

/// The payload's octets follow from the sequence number.
inline Bytes encode(const BundleSpec &spec) {
    constexpr std::uint64_t kAdminRecord = 0x000002;
    constexpr std::uint64_t kDeletionReports = 0x040000;
    constexpr std::uint64_t kMustNotFragment = 0x000004;
    Bytes out{0x9f, 0x88, 0x07};
    const std::uint64_t anonymous = spec.source_node == 0 ? kMustNotFragment : 0;
    const std::uint64_t record = spec.record ? kAdminRecord : 0;
    put_head(out, 0, anonymous | record | (spec.report_deletion ? kDeletionReports : 0));
    out.push_back(0x00);
    if (spec.destination_node != 0) {
        put_ipn(out, spec.destination_node, 1);
    } else {
        append(out, Bytes{0x82, 0x01, 0x6a});
        append(out, as_bytes("//far/away"));
    }
    if (spec.source_node != 0)
        put_ipn(out, spec.source_node, 1);
    else
        append(out, Bytes{0x82, 0x01, 0x00});
    put_ipn(out, 10, 0);
    out.push_back(0x82);
    put_head(out, 0, spec.created);
    put_head(out, 0, spec.sequence);
    put_head(out, 0, spec.lifetime_ms);
    if (spec.previous_node != 0) {
        Bytes node;
        put_ipn(node, spec.previous_node, 0);
        append(out, Bytes{0x85, 0x06, 0x02, 0x00, 0x00});
        put_head(out, 2, node.size());
        append(out, node);
    }
    append(out, Bytes{0x85, 0x01, 0x01, 0x00, 0x00});
    put_head(out, 2, spec.payload_bytes);
    for (std::uint64_t i = 0; i < spec.payload_bytes; ++i)
        out.push_back(static_cast<std::uint8_t>(spec.sequence * 31 + i * 7));
    out.push_back(0xff);
    return out;
}

}  // namespace farlink::test
