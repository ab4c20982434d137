// SPDX-License-Identifier: Apache-2.0
#include "common/bp/eid/eid_cbor.hpp"

#include "common/base/invariant.hpp"

namespace farlink::bp {
namespace {

using codec::CborMajor;
using codec::CborReader;

// RFC 9171 section 9.7: URI scheme codes.
constexpr std::uint64_t kDtnCode = 1;
constexpr std::uint64_t kIpnCode = 2;

bool close_array(CborReader &reader, std::uint64_t count) {
    return count != CborReader::kIndefinite || reader.octet(codec::kCborBreak);
}

bool at_break(const CborReader &reader) {
    return reader.left() != 0 && *reader.at() == codec::kCborBreak;
}

/// RFC 9758 section 6.1: [node, service] with a fully qualified node number, or
/// [allocator, node, service].
bool read_ipn(CborReader &reader, EidView &eid) {
    std::uint64_t count = 0;
    std::uint64_t items[3];
    if (!reader.array(count)) return false;
    const bool indefinite = count == CborReader::kIndefinite;
    if (!indefinite && count != 2 && count != 3) return false;
    if (!reader.uint(items[0]) || !reader.uint(items[1])) return false;
    if (indefinite ? at_break(reader) : count == 2) {
        eid = ipn_eid(items[0], items[1]);
    } else {
        if (!reader.uint(items[2])) return false;
        if (items[0] > kMaxIpnPart || items[1] > kMaxIpnPart) return false;
        eid = ipn_eid(items[0] << 32 | items[1], items[2]);
    }
    return close_array(reader, count);
}

bool read_dtn(CborReader &reader, EidView &eid) {
    if (reader.left() != 0 && *reader.at() >> 5 == static_cast<unsigned>(CborMajor::kUnsigned)) {
        std::uint64_t none = 0;
        eid = {};
        return reader.uint(none) && none == 0;
    }
    ByteView text;
    if (!reader.string(CborMajor::kText, text)) return false;
    const std::string_view ssp = as_text(text);
    // RFC 9171 section 4.2.5.1.1 requires the integer 0 for it, but the meaning is clear.
    if (ssp == "none") {
        eid = {};
        return true;
    }
    eid = {EidScheme::kDtn, 0, 0, ssp};
    return is_dtn_ssp(ssp);
}

}  // namespace

bool read_eid_slowly(CborReader &reader, EidView &eid) {
    std::uint64_t count = 0;
    std::uint64_t scheme = 0;
    if (!reader.array(count)) return false;
    if (count != 2 && count != CborReader::kIndefinite) return false;
    if (!reader.uint(scheme)) return false;
    if (scheme != kIpnCode && scheme != kDtnCode) return false;
    if (!(scheme == kIpnCode ? read_ipn(reader, eid) : read_dtn(reader, eid))) return false;
    return close_array(reader, count);
}

std::uint8_t *write_eid(std::uint8_t *to, const EidView &eid) {
    FARLINK_INVARIANT(eid.scheme != EidScheme::kOther);
    *to++ = 0x82;
    if (eid.scheme == EidScheme::kIpn) {
        *to++ = kIpnCode;
        *to++ = 0x82;
        return codec::write_cbor_uint(codec::write_cbor_uint(to, eid.node), eid.service);
    }
    *to++ = kDtnCode;
    if (eid.scheme == EidScheme::kNone) {
        *to++ = 0;
        return to;
    }
    to = codec::write_cbor_head(to, CborMajor::kText, eid.name.size());
    std::memcpy(to, eid.name.data(), eid.name.size());
    return to + eid.name.size();
}

}  // namespace farlink::bp
