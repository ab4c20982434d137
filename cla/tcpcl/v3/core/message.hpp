// SPDX-License-Identifier: Apache-2.0
// The messages of TCPCLv3 as octets (RFC 7242 sections 5 and 6): one octet of type and flags, then
// at most an SDNV, then what the type has.
// Plain functions over borrowed octets; nothing is allocated.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/codec/sdnv.hpp"

namespace farlink::cla::tcpclv3 {

/// RFC 7242 section 5.1, table 2.
enum class MessageType : std::uint8_t {
    kDataSegment = 1,   ///< number: octets of bundle data that follow
    kAckSegment = 2,    ///< number: octets of the bundle received so far
    kRefuseBundle = 3,  ///< flags: the RefusalCode
    kKeepAlive = 4,
    kShutdown = 5,  ///< see decode_shutdown()
    kLength = 6,    ///< number: octets of the whole next bundle
};

/// Flags of a DATA_SEGMENT (section 5.2).
inline constexpr std::uint8_t kEndFlag = 0x1;
inline constexpr std::uint8_t kStartFlag = 0x2;
inline constexpr std::uint8_t kSegmentFlags = kEndFlag | kStartFlag;

/// Section 5.4, table 3.
enum class RefusalCode : std::uint8_t {
    kUnknown = 0,
    kCompleted = 1,
    kNoResources = 2,
    kRetransmit = 3,
};

/// Section 6.1, table 4.
enum class ShutdownReason : std::uint8_t { kIdleTimeout = 0, kVersionMismatch = 1, kBusy = 2 };

enum class MessageError : std::uint8_t {
    kTruncated,    ///< the octets end before the message does
    kUnknownType,  ///< reserved or unassigned
    kBadNumber,    ///< an SDNV above 2^64 - 1, or longer than 10 octets
};

/// What a message begins with.
struct MessageHead {
    MessageType type = MessageType::kKeepAlive;
    std::uint8_t flags = 0;
    std::uint8_t size = 0;     ///< octets of the head
    std::uint64_t number = 0;  ///< 0 where the type has none
};

inline constexpr std::size_t kMaxHeadBytes = 1 + codec::kMaxSdnvBytes;
/// A SHUTDOWN with everything that it may carry.
inline constexpr std::size_t kMaxShutdownBytes = 2 + codec::kMaxSdnvBytes;

struct ShutdownMessage {
    std::optional<std::uint8_t> reason{};
    /// 0: never come back (section 6.1).
    std::optional<std::uint64_t> reconnection_delay_s{};
    std::size_t size = 0;  ///< octets of the message, when decoded
};

/// `from` is not empty.
[[nodiscard]] inline Result<MessageHead, MessageError> decode_head(ByteView from) {
    const auto type = static_cast<MessageType>(from[0] >> 4);
    const auto flags = static_cast<std::uint8_t>(from[0] & 0xf);
    switch (type) {
        case MessageType::kRefuseBundle:
        case MessageType::kKeepAlive:
        case MessageType::kShutdown:
            return MessageHead{type, flags, 1, 0};
        case MessageType::kDataSegment:
        case MessageType::kAckSegment:
        case MessageType::kLength: {
            const auto number = codec::decode_sdnv(from.subspan(1));
            if (number) {
                const auto size = static_cast<std::uint8_t>(1 + number->size);
                return MessageHead{type, flags, size, number->value};
            }
            const bool more = number.error() == codec::SdnvError::kTruncated;
            return fail(more ? MessageError::kTruncated : MessageError::kBadNumber);
        }
    }
    return fail(MessageError::kUnknownType);
}

/// Writes a head with a number to `to`, which has room for kMaxHeadBytes; returns its octets.
inline std::size_t encode_head(MessageType type, std::uint8_t flags, std::uint64_t number,
                               std::uint8_t *to) {
    to[0] = static_cast<std::uint8_t>(static_cast<unsigned>(type) << 4 | flags);
    return 1 + codec::encode_sdnv(number, to + 1);
}

/// A message that is one octet: KEEPALIVE, REFUSE_BUNDLE.
[[nodiscard]] constexpr std::uint8_t one_octet(MessageType type, std::uint8_t flags = 0) {
    return static_cast<std::uint8_t>(static_cast<unsigned>(type) << 4 | flags);
}

/// `from` begins with a head of type kShutdown.
[[nodiscard]] Result<ShutdownMessage, MessageError> decode_shutdown(ByteView from);
/// Writes to `to`, which has room for kMaxShutdownBytes; returns the message's octets.
std::size_t encode_shutdown(const ShutdownMessage &message, std::uint8_t *to);

}  // namespace farlink::cla::tcpclv3
