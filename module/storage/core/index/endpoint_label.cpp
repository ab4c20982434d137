// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage {
namespace {

constexpr std::uint8_t kNull = 0;
constexpr std::uint8_t kDtn = 1;
constexpr std::uint8_t kIpn = 2;
constexpr std::uint8_t kOther = 3;
constexpr std::uint8_t kPair = 4;
constexpr std::size_t kIpnLabelBytes = 17;
constexpr std::size_t kPairHeadBytes = 3;

void append_label(const bp::EidView &endpoint, Bytes &out) {
    const std::size_t at = out.size();
    switch (endpoint.scheme) {
        case bp::EidScheme::kNone:
            out.push_back(kNull);
            return;
        case bp::EidScheme::kIpn:
            out.resize(at + kIpnLabelBytes);
            out[at] = kIpn;
            store_be(&out[at + 1], endpoint.node);
            store_be(&out[at + 9], endpoint.service);
            return;
        case bp::EidScheme::kDtn:
        case bp::EidScheme::kOther:
            out.push_back(endpoint.scheme == bp::EidScheme::kDtn ? kDtn : kOther);
            append(out, as_bytes(endpoint.name));
            return;
    }
}

std::optional<bp::EidView> decode_one(ByteView label) {
    bp::EidView endpoint;
    if (label.empty()) return std::nullopt;
    switch (label[0]) {
        case kNull:
            return endpoint;
        case kIpn:
            if (label.size() != kIpnLabelBytes) return std::nullopt;
            endpoint.scheme = bp::EidScheme::kIpn;
            endpoint.node = load_be<std::uint64_t>(&label[1]);
            endpoint.service = load_be<std::uint64_t>(&label[9]);
            return endpoint;
        case kDtn:
        case kOther:
            endpoint.scheme = label[0] == kDtn ? bp::EidScheme::kDtn : bp::EidScheme::kOther;
            endpoint.name = as_text(label.subspan(1));
            return endpoint;
        default:
            return std::nullopt;
    }
}

/// Of a pair that is whole, the size of its first label.
std::optional<std::size_t> first_of_pair(ByteView label) {
    if (label.size() < kPairHeadBytes || label[0] != kPair) return std::nullopt;
    const std::size_t size = load_be<std::uint16_t>(&label[1]);
    if (size > label.size() - kPairHeadBytes) return std::nullopt;
    return size;
}

}  // namespace

void encode_label(const bp::EidView &endpoint, Bytes &out) {
    out.clear();
    append_label(endpoint, out);
}

void encode_label(const bp::EidView &destination, const bp::EidView &source, Bytes &out) {
    out.assign(kPairHeadBytes, kPair);
    append_label(destination, out);
    // A first label above 65535 octets makes the pair too long for a record: it is refused.
    store_be(&out[1], static_cast<std::uint16_t>(out.size() - kPairHeadBytes));
    append_label(source, out);
}

std::optional<bp::EidView> decode_label(ByteView label) {
    if (label.empty() || label[0] != kPair) return decode_one(label);
    const auto size = first_of_pair(label);
    return size ? decode_one(label.subspan(kPairHeadBytes, *size)) : std::nullopt;
}

std::optional<bp::EidView> decode_source(ByteView label) {
    const auto size = first_of_pair(label);
    return size ? decode_one(label.subspan(kPairHeadBytes + *size)) : std::nullopt;
}

}  // namespace farlink::storage
