// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/endpoint_label.hpp"

namespace farlink::storage {
namespace {

constexpr std::uint8_t kNull = 0;
constexpr std::uint8_t kDtn = 1;
constexpr std::uint8_t kIpn = 2;
constexpr std::uint8_t kOther = 3;
constexpr std::size_t kIpnLabelBytes = 17;

}  // namespace

void encode_label(const bp::EidView &endpoint, Bytes &out) {
    switch (endpoint.scheme) {
        case bp::EidScheme::kNone:
            out.assign(1, kNull);
            return;
        case bp::EidScheme::kIpn:
            out.resize(kIpnLabelBytes);
            out[0] = kIpn;
            store_be(&out[1], endpoint.node);
            store_be(&out[9], endpoint.service);
            return;
        case bp::EidScheme::kDtn:
        case bp::EidScheme::kOther:
            out.assign(1, endpoint.scheme == bp::EidScheme::kDtn ? kDtn : kOther);
            append(out, as_bytes(endpoint.name));
            return;
    }
}

std::optional<bp::EidView> decode_label(ByteView label) {
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

}  // namespace farlink::storage
