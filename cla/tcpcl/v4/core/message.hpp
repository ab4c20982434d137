// SPDX-License-Identifier: Apache-2.0
// The messages of TCPCLv4 as values, and their octets (RFC 9174 sections 4.2, 4.5 to 5.2.5, 6.1).
// Views borrow the octets they were decoded from; nothing is owned.
// Plain functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/buffer/stream_reader.hpp"

namespace farlink::cla::tcpclv4 {

/// RFC 9174 section 4.5, table 2.
enum class MessageType : std::uint8_t {
    kXferSegment = 1,
    kXferAck = 2,
    kXferRefuse = 3,
    kKeepAlive = 4,
    kSessTerm = 5,
    kMsgReject = 6,
    kSessInit = 7,
};

/// RFC 9174 section 6.1, table 9.
enum class TermReason : std::uint8_t {
    kUnknown = 0,
    kIdleTimeout = 1,
    kVersionMismatch = 2,
    kBusy = 3,
    kContactFailure = 4,
    kResourceExhaustion = 5,
};

/// RFC 9174 section 5.1.2, table 4.
enum class RejectReason : std::uint8_t { kTypeUnknown = 1, kUnsupported = 2, kUnexpected = 3 };

inline constexpr std::uint8_t kVersion = 4;
inline constexpr std::uint8_t kCanTls = 1;      ///< contact header
inline constexpr std::uint8_t kSegmentEnd = 1;  ///< XFER_SEGMENT and XFER_ACK
inline constexpr std::uint8_t kSegmentStart = 2;
inline constexpr std::uint8_t kTermReply = 1;  ///< SESS_TERM
inline constexpr std::uint8_t kCritical = 1;   ///< extension items
/// RFC 9174 section 8.4.
inline constexpr std::uint16_t kTransferLengthType = 1;

inline constexpr std::size_t kContactBytes = 6;
inline constexpr std::size_t kAckBytes = 18;
inline constexpr std::size_t kRefuseBytes = 10;
inline constexpr std::size_t kTermBytes = 3;
inline constexpr std::size_t kRejectBytes = 3;
inline constexpr std::size_t kItemHeadBytes = 5;
inline constexpr std::size_t kTransferLengthBytes = kItemHeadBytes + 8;
/// Of a segment that does not start its transfer, and of one that does, without its items.
inline constexpr std::size_t kSegmentHeadBytes = 18;
inline constexpr std::size_t kStartHeadBytes = 22;
/// SESS_INIT up to its node id, and the length of the items behind that.
inline constexpr std::size_t kInitHeadBytes = 21;
inline constexpr std::size_t kItemsLengthBytes = 4;
/// Longest message apart from a segment's data: what a reader keeps in one piece.
inline constexpr std::size_t kMaxHeadBytes = StreamReader::kCarryBytes;

struct ContactHeader {
    std::uint8_t version = kVersion;
    std::uint8_t flags = 0;
};

struct SessionInit {
    std::uint16_t keep_alive_seconds = 0;
    std::uint64_t segment_mru = 0;   ///< bytes
    std::uint64_t transfer_mru = 0;  ///< bytes
    std::string_view node_id;
    ByteView items;  ///< session extension items, encoded

    [[nodiscard]] std::size_t encoded_bytes() const {
        return kInitHeadBytes + node_id.size() + kItemsLengthBytes + items.size();
    }
};

/// An XFER_SEGMENT without its data.
struct Segment {
    std::uint8_t flags = 0;
    std::uint64_t id = 0;
    ByteView items;  ///< transfer extension items, encoded; none without kSegmentStart
    std::uint64_t data_bytes = 0;

    [[nodiscard]] bool starts() const { return (flags & kSegmentStart) != 0; }
    [[nodiscard]] bool ends() const { return (flags & kSegmentEnd) != 0; }
    [[nodiscard]] std::size_t head_bytes() const {
        return starts() ? kStartHeadBytes + items.size() : kSegmentHeadBytes;
    }
};

struct Ack {
    std::uint8_t flags = 0;
    std::uint64_t id = 0;
    std::uint64_t length = 0;  ///< bytes acknowledged of the transfer
};

struct Refuse {
    std::uint8_t reason = 0;
    std::uint64_t id = 0;
};

struct Term {
    std::uint8_t flags = 0;
    std::uint8_t reason = 0;

    [[nodiscard]] bool is_reply() const { return (flags & kTermReply) != 0; }
};

struct Reject {
    RejectReason reason = RejectReason::kUnexpected;
    std::uint8_t rejected = 0;  ///< the header of the message that was rejected
};

struct ExtensionItem {
    std::uint8_t flags = 0;
    std::uint16_t type = 0;
    ByteView value;

    [[nodiscard]] bool is_critical() const { return (flags & kCritical) != 0; }
};

enum class DecodeError : std::uint8_t {
    kIncomplete,  ///< right so far: more octets must come
    kTooLong,     ///< the message announces more than kMaxHeadBytes beside bundle data
    kMalformed,   ///< extension items that disagree with their length; a wrong magic string
};

/// As far as the octets go: a wrong magic string is found at its first wrong octet, and another
/// version before its flags, whose meaning it defines (RFC 9174 section 4.3).
[[nodiscard]] Result<ContactHeader, DecodeError> decode_contact(ByteView octets);

// The other decoders get the octets from the message's type on, and do not check the type.
[[nodiscard]] Result<SessionInit, DecodeError> decode_session_init(ByteView octets);
/// Octets from the start of SESS_INIT that surely belong to it, as far as it is known.
[[nodiscard]] std::size_t session_init_extent(ByteView octets);
[[nodiscard]] Result<Refuse, DecodeError> decode_refuse(ByteView octets);
[[nodiscard]] Result<Term, DecodeError> decode_term(ByteView octets);
[[nodiscard]] Result<Reject, DecodeError> decode_reject(ByteView octets);

/// The head of a segment; its data follow head_bytes() behind the start.
[[nodiscard]] inline Result<Segment, DecodeError> decode_segment(ByteView octets) {
    if (octets.size() < kSegmentHeadBytes) return fail(DecodeError::kIncomplete);
    Segment segment;
    segment.flags = octets[1];
    segment.id = load_be<std::uint64_t>(&octets[2]);
    if (!segment.starts()) {
        segment.data_bytes = load_be<std::uint64_t>(&octets[10]);
        return segment;
    }
    const auto items_bytes = load_be<std::uint32_t>(&octets[10]);
    if (items_bytes > kMaxHeadBytes - kStartHeadBytes) return fail(DecodeError::kTooLong);
    if (octets.size() < kStartHeadBytes + items_bytes) return fail(DecodeError::kIncomplete);
    segment.items = octets.subspan(14, items_bytes);
    segment.data_bytes = load_be<std::uint64_t>(octets.data() + 14 + items_bytes);
    return segment;
}

[[nodiscard]] inline Result<Ack, DecodeError> decode_ack(ByteView octets) {
    if (octets.size() < kAckBytes) return fail(DecodeError::kIncomplete);
    return Ack{octets[1], load_be<std::uint64_t>(&octets[2]), load_be<std::uint64_t>(&octets[10])};
}

/// Walks over an encoded list of extension items (RFC 9174 sections 4.8 and 5.2.5).
class ItemReader {
public:
    explicit ItemReader(ByteView items) : left_(items) {}
    /// Empty at the end of the list, and when the list disagrees with its length.
    [[nodiscard]] std::optional<ExtensionItem> next();
    [[nodiscard]] bool is_malformed() const { return malformed_; }

private:
    ByteView left_;
    bool malformed_ = false;
};

// The encoders write a whole message at `to` and return its end.
std::uint8_t *encode(std::uint8_t *to, const ContactHeader &contact);
std::uint8_t *encode(std::uint8_t *to, const SessionInit &init);
std::uint8_t *encode(std::uint8_t *to, const Segment &segment);
std::uint8_t *encode(std::uint8_t *to, const Refuse &refuse);
std::uint8_t *encode(std::uint8_t *to, const Term &term);
std::uint8_t *encode(std::uint8_t *to, const Reject &reject);
std::uint8_t *encode(std::uint8_t *to, const ExtensionItem &item);

inline std::uint8_t *encode(std::uint8_t *to, const Ack &ack) {
    to[0] = static_cast<std::uint8_t>(MessageType::kXferAck);
    to[1] = ack.flags;
    store_be(to + 2, ack.id);
    store_be(to + 10, ack.length);
    return to + kAckBytes;
}

}  // namespace farlink::cla::tcpclv4
