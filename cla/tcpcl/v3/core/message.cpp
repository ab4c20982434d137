// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/message.hpp"

namespace farlink::cla::tcpclv3 {
namespace {

constexpr std::uint8_t kDelayFlag = 0x1;
constexpr std::uint8_t kReasonFlag = 0x2;

}  // namespace

Result<ShutdownMessage, MessageError> decode_shutdown(ByteView from) {
    ShutdownMessage message;
    message.size = 1;
    if ((from[0] & kReasonFlag) != 0) {
        if (from.size() < 2) return fail(MessageError::kTruncated);
        message.reason = from[message.size++];
    }
    if ((from[0] & kDelayFlag) != 0) {
        const auto delay = codec::decode_sdnv(from.subspan(message.size));
        if (!delay)
            return fail(delay.error() == codec::SdnvError::kTruncated ? MessageError::kTruncated
                                                                      : MessageError::kBadNumber);
        message.reconnection_delay_s = delay->value;
        message.size += delay->size;
    }
    return message;
}

std::size_t encode_shutdown(const ShutdownMessage &message, std::uint8_t *to) {
    std::uint8_t flags = 0;
    std::size_t size = 1;
    if (message.reason) {
        flags |= kReasonFlag;
        to[size++] = *message.reason;
    }
    if (message.reconnection_delay_s) {
        flags |= kDelayFlag;
        size += codec::encode_sdnv(*message.reconnection_delay_s, to + size);
    }
    to[0] = one_octet(MessageType::kShutdown, flags);
    return size;
}

}  // namespace farlink::cla::tcpclv3
