// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/contact.hpp"

#include <algorithm>
#include <array>

#include "common/codec/sdnv.hpp"

namespace farlink::cla::tcpclv3 {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic{'d', 't', 'n', '!'};
constexpr std::size_t kVersionAt = 4;
constexpr std::size_t kFlagsAt = 5;
constexpr std::size_t kKeepAliveAt = 6;
constexpr std::size_t kNodeIdLengthAt = 8;

}  // namespace

ContactHeader own_contact(const std::string &node_id, Duration keep_alive) {
    const auto whole = std::chrono::duration_cast<seconds>(keep_alive).count();
    ContactHeader header;
    header.flags = kRequestAcks | kSupportRefusal | kRequestLength;
    header.keep_alive_s = static_cast<std::uint16_t>(std::clamp<std::int64_t>(whole, 0, 0xffff));
    header.node_id = node_id;
    return header;
}

Bytes encode_contact(const ContactHeader &header) {
    Bytes octets(kMagic.begin(), kMagic.end());
    octets.push_back(kProtocolVersion);
    octets.push_back(header.flags);
    octets.resize(kNodeIdLengthAt);
    store_be(&octets[kKeepAliveAt], header.keep_alive_s);
    codec::append_sdnv(octets, header.node_id.size());
    append(octets, as_bytes(header.node_id));
    return octets;
}

SessionTerms negotiate(const ContactHeader &ours, const ContactHeader &theirs) {
    const unsigned both = ours.flags & theirs.flags;
    SessionTerms terms;
    terms.acknowledgements = (both & kRequestAcks) != 0;
    terms.refusal = terms.acknowledgements && (both & kSupportRefusal) != 0;
    terms.length = (theirs.flags & kRequestLength) != 0;  // each direction by itself, section 5.5
    terms.keep_alive = seconds(std::min(ours.keep_alive_s, theirs.keep_alive_s));
    return terms;
}

MutableBytes ContactReader::space() {
    octets_.resize(std::max(octets_.size(), kNodeIdLengthAt + 1));
    return MutableBytes(octets_).subspan(filled_);
}

ContactReader::Status ContactReader::handle_bytes(std::size_t size) {
    filled_ += size;
    const std::size_t magic = std::min(filled_, kMagic.size());
    if (!std::equal(kMagic.begin(), kMagic.begin() + magic, octets_.begin()))
        return Status::kBadMagic;
    // Section 4.2 would read a later version as if it were this one. Version 4 exists by now
    // (RFC 9174), is laid out in another way, and is shorter than what is read here.
    if (filled_ > kVersionAt && octets_[kVersionAt] != kProtocolVersion)
        return Status::kOtherVersion;
    if (filled_ <= kNodeIdLengthAt) return Status::kIncomplete;
    return read_node_id();
}

// The length of an STCP frame begins with 0 unless its bundle has 16 MiB. A peer that requires TLS
// begins with its ClientHello, or answers what it takes for one by an alert (RFC 8446 section 5.1).
LinkFault ContactReader::stranger() const {
    constexpr std::uint8_t kTlsAlert = 21;
    constexpr std::uint8_t kTlsHandshake = 22;
    if (octets_[0] == kTlsAlert || octets_[0] == kTlsHandshake) return LinkFault::kPeerRequiresTls;
    return octets_[0] == 0 ? LinkFault::kStcpNotTcpcl : LinkFault::kNotTcpcl;
}

std::uint8_t ContactReader::version() const {
    return octets_[kVersionAt];
}

ContactReader::Status ContactReader::read_node_id() {
    const auto length = codec::decode_sdnv(ByteView(octets_).subspan(kNodeIdLengthAt));
    if (!length && length.error() == codec::SdnvError::kTruncated) {
        octets_.resize(octets_.size() + 1);
        return Status::kIncomplete;
    }
    if (!length || length->value > kMaxNodeIdBytes) return Status::kBadNodeId;
    const std::size_t begin = kNodeIdLengthAt + length->size;
    octets_.resize(begin + length->value);
    if (filled_ < octets_.size()) return Status::kIncomplete;

    const std::string_view text = as_text(ByteView(octets_).subspan(begin));
    const auto visible = [](char c) { return c > ' ' && c <= '~'; };
    if (!std::ranges::all_of(text, visible)) return Status::kBadNodeId;
    header_.flags = octets_[kFlagsAt];
    header_.keep_alive_s = load_be<std::uint16_t>(&octets_[kKeepAliveAt]);
    header_.node_id = text;
    return Status::kComplete;
}

}  // namespace farlink::cla::tcpclv3
