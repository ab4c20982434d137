// SPDX-License-Identifier: Apache-2.0
// How bundles follow each other on a TCP stream: what STCP and MTCP differ in.
// Plain functions over borrowed octets; nothing is allocated.
// Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/codec/cbor.hpp"

namespace farlink::cla::stcp {

/// A frame is a head with a length, and so many octets. A frame of length 0 is a keepalive.
enum class Framing : std::uint8_t {
    kStcp,  ///< the length as 32 bits, most significant octet first
    kMtcp,  ///< the head of a CBOR byte string of definite length (RFC 8949 section 3.1)
};

[[nodiscard]] constexpr Framing framing_of(std::string_view scheme) {
    return scheme == "mtcp" ? Framing::kMtcp : Framing::kStcp;
}

struct FrameHead {
    std::uint64_t length = 0;  ///< octets of the bundle
    std::size_t size = 0;      ///< octets of the head
};

enum class FrameError : std::uint8_t {
    kTruncated,  ///< the octets end before the head does
    kNotAFrame,  ///< MTCP: not a byte string, or one of indefinite length
};

/// Of the bundle in a frame.
[[nodiscard]] constexpr std::uint64_t max_frame_bytes(Framing framing) {
    return framing == Framing::kStcp ? ~std::uint32_t{0} : ~std::uint64_t{0};
}

inline constexpr std::size_t kMaxFrameHeadBytes = codec::kMaxCborHeadBytes;

/// MTCP: a head that is longer than it need be is read as well.
[[nodiscard]] inline Result<FrameHead, FrameError> decode_frame_head(Framing framing,
                                                                     ByteView from) {
    if (framing == Framing::kStcp) {
        constexpr std::size_t kLengthBytes = 4;
        if (from.size() < kLengthBytes) return fail(FrameError::kTruncated);
        return FrameHead{load_be<std::uint32_t>(from.data()), kLengthBytes};
    }
    codec::CborReader reader(from);
    FrameHead head;
    if (!reader.head(codec::CborMajor::kBytes, head.length)) {
        const bool more = reader.fault() == codec::CborReader::Fault::kTruncated;
        return fail(more ? FrameError::kTruncated : FrameError::kNotAFrame);
    }
    head.size = from.size() - reader.left();
    return head;
}

/// The beginning of a stream is a TCPCL contact header. As the length of a frame its first four
/// octets are 1.6 GiB: where that is allowed, the version octet decides: no bundle begins with
/// that value.
[[nodiscard]] inline bool looks_like_tcpcl(ByteView from, std::uint64_t max_bundle_bytes) {
    constexpr std::array<std::uint8_t, 4> kMagic{'d', 't', 'n', '!'};
    if (from.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), from.begin()))
        return false;
    if (load_be<std::uint32_t>(kMagic.data()) > max_bundle_bytes) return true;
    return from.size() > kMagic.size() && (from[kMagic.size()] == 3 || from[kMagic.size()] == 4);
}

/// No bundle begins otherwise: a CBOR array of indefinite length (BPv7), or version 6.
[[nodiscard]] inline bool may_begin_bundle(std::uint8_t octet) {
    return octet == 0x9f || octet == 6;
}

/// What the first octets of a stream of this framing are.
enum class Beginning : std::uint8_t {
    kFrame,         ///< of this framing, as far as they show
    kOtherFraming,  ///< a frame of the other framing
    kUndecided,     ///< more octets decide
};

/// The length of an STCP frame begins with 0 unless its bundle has 16 MiB, and no MTCP frame begins
/// with 0. The octets at an STCP link are of MTCP if a bundle begins behind MTCP's head, and none
/// where that of an STCP frame would.
[[nodiscard]] inline Beginning judge_beginning(Framing framing, ByteView from) {
    if (from.empty()) return Beginning::kUndecided;
    if (framing == Framing::kMtcp)
        return from[0] == 0 ? Beginning::kOtherFraming : Beginning::kFrame;
    const auto head = decode_frame_head(Framing::kMtcp, from);
    if (!head)
        return head.error() == FrameError::kTruncated ? Beginning::kUndecided : Beginning::kFrame;
    if (head->length == 0) return Beginning::kFrame;
    constexpr std::size_t kLengthBytes = 4;
    if (from.size() <= std::max(head->size, kLengthBytes)) return Beginning::kUndecided;
    const bool other = may_begin_bundle(from[head->size]) && !may_begin_bundle(from[kLengthBytes]);
    return other ? Beginning::kOtherFraming : Beginning::kFrame;
}

/// Writes the shortest head to `to`, which has room for kMaxFrameHeadBytes; returns its octets.
inline std::size_t encode_frame_head(Framing framing, std::uint64_t length, std::uint8_t *to) {
    if (framing == Framing::kMtcp) {
        const std::uint8_t *const end =
            codec::write_cbor_head(to, codec::CborMajor::kBytes, length);
        return static_cast<std::size_t>(end - to);
    }
    store_be(to, static_cast<std::uint32_t>(length));
    return sizeof(std::uint32_t);
}

}  // namespace farlink::cla::stcp
