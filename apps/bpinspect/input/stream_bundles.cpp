// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/input/stream_bundles.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cla/stcp/core/framing.hpp"
#include "cla/tcpcl/v3/core/message.hpp"
#include "cla/tcpcl/v4/core/message.hpp"

namespace farlink::inspect {
namespace {

constexpr std::string_view kTruncated = "the stream ends inside a message";
constexpr std::string_view kUnknown = "a message has an unknown type or is malformed";
constexpr std::string_view kEncrypted = "the session is encrypted with TLS";
constexpr std::size_t kContactBytes = 6;

bool begins_bundle(ByteView octets) {
    return !octets.empty() && (octets[0] == 0x9f || octets[0] == 6);
}

/// A stream that is read message by message; joins the segments of transfers.
class StreamWalk {
public:
    StreamWalk(std::string_view protocol, ByteView stream, const OnStreamBundle &on_bundle)
        : protocol_(protocol), stream_(stream), on_bundle_(on_bundle) {}

    [[nodiscard]] ByteView left() const { return stream_.subspan(at_); }
    [[nodiscard]] bool done() const { return at_ == stream_.size(); }
    [[nodiscard]] bool skip(std::uint64_t size) {
        if (size > stream_.size() - at_) return false;
        at_ += size;
        return true;
    }

    /// Adds `size` octets, which are next, to the transfer under way.
    bool segment(std::uint64_t head, std::uint64_t size, bool starts, bool ends) {
        const std::uint64_t begin = at_;
        if (!skip(head) || size > stream_.size() - at_) return false;
        if (starts) {
            transfer_.clear();
            transfer_at_ = begin;
        }
        append(transfer_, stream_.subspan(at_, size));
        at_ += size;
        if (ends) on_bundle_({protocol_, std::exchange(transfer_, {}), transfer_at_});
        return true;
    }

private:
    std::string_view protocol_;
    ByteView stream_;
    const OnStreamBundle &on_bundle_;
    std::uint64_t at_ = 0;
    Bytes transfer_;
    std::uint64_t transfer_at_ = 0;
};

/// RFC 9174 section 4.5: the size of a message other than XFER_SEGMENT; 0: it is not whole.
std::optional<std::size_t> other_size4(cla::tcpclv4::MessageType type, ByteView octets) {
    using cla::tcpclv4::MessageType;
    switch (type) {
        case MessageType::kXferAck:
            return cla::tcpclv4::kAckBytes;
        case MessageType::kXferRefuse:
            return cla::tcpclv4::kRefuseBytes;
        case MessageType::kKeepAlive:
            return 1;
        case MessageType::kSessTerm:
            return cla::tcpclv4::kTermBytes;
        case MessageType::kMsgReject:
            return cla::tcpclv4::kRejectBytes;
        case MessageType::kSessInit: {
            const auto init = cla::tcpclv4::decode_session_init(octets);
            if (init) return init->encoded_bytes();
            if (init.error() == cla::tcpclv4::DecodeError::kIncomplete) return 0;
            return std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

std::string_view read_tcpclv4(StreamWalk &walk) {
    using cla::tcpclv4::MessageType;
    if (!walk.skip(kContactBytes)) return kTruncated;
    while (!walk.done()) {
        const auto type = static_cast<MessageType>(walk.left()[0]);
        if (walk.left()[0] == 0x16) return kEncrypted;  // a record of TLS's handshake
        if (type == MessageType::kXferSegment) {
            const auto segment = cla::tcpclv4::decode_segment(walk.left());
            if (!segment)
                return segment.error() == cla::tcpclv4::DecodeError::kIncomplete ? kTruncated
                                                                                 : kUnknown;
            if (!walk.segment(segment->head_bytes(), segment->data_bytes, segment->starts(),
                              segment->ends()))
                return kTruncated;
            continue;
        }
        const auto size = other_size4(type, walk.left());
        if (!size) return kUnknown;
        if (*size == 0 || !walk.skip(*size)) return kTruncated;
    }
    return {};
}

/// RFC 7242 section 4.1: flags, keepalive interval, then the node id.
bool skip_contact3(StreamWalk &walk) {
    constexpr std::size_t kFixed = 8;
    if (!walk.skip(kFixed)) return false;
    const auto length = codec::decode_sdnv(walk.left());
    return length && walk.skip(length->size) && walk.skip(length->value);
}

std::string_view read_tcpclv3(StreamWalk &walk) {
    using cla::tcpclv3::MessageType;
    if (!skip_contact3(walk)) return kTruncated;
    while (!walk.done()) {
        const auto head = cla::tcpclv3::decode_head(walk.left());
        if (!head)
            return head.error() == cla::tcpclv3::MessageError::kTruncated ? kTruncated : kUnknown;
        if (head->type == MessageType::kDataSegment) {
            const bool starts = (head->flags & cla::tcpclv3::kStartFlag) != 0;
            const bool ends = (head->flags & cla::tcpclv3::kEndFlag) != 0;
            if (!walk.segment(head->size, head->number, starts, ends)) return kTruncated;
            continue;
        }
        std::size_t size = head->size;
        if (head->type == MessageType::kShutdown) {
            const auto shutdown = cla::tcpclv3::decode_shutdown(walk.left());
            if (!shutdown) return kTruncated;
            size = shutdown->size;
        }
        if (!walk.skip(size)) return kTruncated;
    }
    return {};
}

std::string_view read_frames(StreamWalk &walk, cla::stcp::Framing framing) {
    while (!walk.done()) {
        const auto head = cla::stcp::decode_frame_head(framing, walk.left());
        if (!head) return head.error() == cla::stcp::FrameError::kTruncated ? kTruncated : kUnknown;
        if (head->length == 0) {
            if (!walk.skip(head->size)) return kTruncated;
            continue;
        }
        if (!walk.segment(head->size, head->length, true, true)) return kTruncated;
    }
    return {};
}

/// The first frame holds a bundle.
bool is_framed(ByteView stream, cla::stcp::Framing framing) {
    auto head = cla::stcp::decode_frame_head(framing, stream);
    while (head && head->length == 0) {
        stream = stream.subspan(head->size);
        head = cla::stcp::decode_frame_head(framing, stream);
    }
    return head && begins_bundle(stream.subspan(head->size));
}

}  // namespace

StreamResult read_stream(ByteView stream, const OnStreamBundle &on_bundle) {
    using cla::stcp::Framing;
    const auto read = [&](std::string_view protocol, auto reader) {
        StreamWalk walk(protocol, stream, on_bundle);
        return StreamResult{protocol, reader(walk)};
    };
    if (stream.size() > 4 && as_text(stream.first(4)) == "dtn!") {
        if (stream[4] == 3) return read("tcpclv3", read_tcpclv3);
        if (stream[4] == 4) return read("tcpclv4", read_tcpclv4);
        return {"tcpcl", "the version is neither 3 nor 4"};
    }
    for (const auto &[protocol, framing] :
         {std::pair{"mtcp", Framing::kMtcp}, std::pair{"stcp", Framing::kStcp}})
        if (is_framed(stream, framing))
            return read(protocol,
                        [framing](StreamWalk &walk) { return read_frames(walk, framing); });
    return {};
}

}  // namespace farlink::inspect
