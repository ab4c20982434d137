// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/extended_class.hpp"

#include "common/codec/sdnv.hpp"

namespace farlink::bp::v6 {

Result<ExtendedClass, ParseError> decode_extended_class(ByteView data) {
    constexpr std::size_t kFixedBytes = 2;
    if (data.size() < kFixedBytes) return fail(ParseError::kBadBlockData);
    ExtendedClass service;
    service.critical = (data[0] & kEcosCritical) != 0;
    service.streaming = (data[0] & kEcosStreaming) != 0;
    service.reliable = (data[0] & kEcosReliable) != 0;
    service.ordinal = data[1];
    ByteView left = data.subspan(kFixedBytes);
    if ((data[0] & kEcosFlowLabel) != 0) {
        const auto label = codec::decode_sdnv(left);
        if (!label) return fail(ParseError::kBadBlockData);
        service.flow_label = label->value;
        left = left.subspan(label->size);
    }
    if (!left.empty()) return fail(ParseError::kBadBlockData);
    return service;
}

Bytes encode(const ExtendedClass &service) {
    unsigned flags = 0;
    if (service.critical) flags |= kEcosCritical;
    if (service.streaming) flags |= kEcosStreaming;
    if (service.flow_label) flags |= kEcosFlowLabel;
    if (service.reliable) flags |= kEcosReliable;
    Bytes data{static_cast<std::uint8_t>(flags), service.ordinal};
    if (service.flow_label) codec::append_sdnv(data, *service.flow_label);
    return data;
}

}  // namespace farlink::bp::v6
